// Programs that the verifier rejects, one or more for each constraint of the
// broadcast family. The comment above a program names the constraint.

// broadcast: sizes
func.func @test(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+2 {{expected sizes that broadcast in dimension 0, found 4 and 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = chlo.broadcast_add %a, %b : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// broadcast: number of broadcast_dimensions
func.func @test(%a: tensor<3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+2 {{expected broadcast_dimensions of size 1, the lower rank, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0, 1>} : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// broadcast: range of broadcast_dimensions
func.func @test(%a: tensor<3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+2 {{expected broadcast_dimensions below the rank 2, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 2>} : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// broadcast: the result
func.func @test(%a: tensor<3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<5x3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = chlo.broadcast_add %a, %b : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

// broadcast_select: elements
func.func @test(%p: tensor<i1>, %a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+2 {{expected choices of one element type, found 'tensor<3xf32>' and 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}
