// Programs that the verifier rejects, one or more for each constraint of the
// reduce family. The comment above a program names the constraint.

// map_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %r = "stablehlo.map"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// map_c3
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected dimensions 0, 1, 2 and so on, found 1 at index 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// map_c4
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected parameter 0 of the computation to be 'tensor<f32>', found 'tensor<f64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f64>):
    stablehlo.return %x : tensor<f64>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// reduce_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected inputs of one shape, found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:2 = "stablehlo.reduce"(%a, %b, %i, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

// reduce_c2
func.func @test(%a: tensor<3x4xf32>, %i: tensor<f64>) {
  // expected-error@+2 {{expected result 0 of the reduction region, 'tensor<f32>', to be promotable from the initial value's 'f64'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

// reduce_c4
func.func @test(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected dimensions in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {dimensions = array<i64: 2>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c5
func.func @test(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected distinct values in dimensions, found 0 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {dimensions = array<i64: 0, 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c6
func.func @test(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected a reduction region of 2 parameters, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c6
func.func @test(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected a reduction region that returns 1 tensors, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c6
func.func @test(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected parameter 1 of the reduction region to have the element type of its result, 'f32', found 'tensor<i32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    stablehlo.return %x : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c7
func.func @test(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// reduce_c8
func.func @test(%a: tensor<3x4xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf64>
  return
}

// -----

// map_c2
func.func @test() {
  // expected-error@+1 {{expected 1 or more operands, but found 0}}
  %r = "stablehlo.map"() ({
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {dimensions = array<i64>} : () -> tensor<f32>
  return
}

// -----

// reduce_c3
func.func @test() {
  // expected-error@+2 {{expected at least one input, found none}}
  // expected-error@+1 {{failed to infer returned types}}
  "stablehlo.reduce"() ({
    stablehlo.return
  }) {dimensions = array<i64>} : () -> ()
  return
}
