// Programs that the verifier rejects, one or more for each constraint of the
// top_k family. The comment above a program names the constraint.

// top_k: rank
func.func @test(%a: tensor<f32>) {
  // expected-error@+2 {{expected an operand of rank 1 or more, found rank 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %v, %i = chlo.top_k(%a, k = 1) : tensor<f32> -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

// top_k: k
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected k >= 0, found -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %v, %i = chlo.top_k(%a, k = -1) : tensor<3xf32> -> (tensor<3xf32>, tensor<3xi32>)
  return
}

// -----

// top_k: length
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected a last dimension of at least k = 4, found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %v, %i = chlo.top_k(%a, k = 4) : tensor<3xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return
}
