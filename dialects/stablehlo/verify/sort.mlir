// Programs that the verifier rejects, one or more for each constraint of the
// sort family. The comment above a program names the constraint.

// sort_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// sort_c4
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected dimension in the range [-1, 1), found 1}}
  %r = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// sort_c5
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected a comparator of 2 parameters, found 1}}
  %r = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>):
    %0 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// sort_c5
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected a comparator that returns tensor<i1>, found 'tensor<f32>'}}
  %r = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {dimension = 0 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// sort_c1
func.func @test() {
  // expected-error@+1 {{expected 1 or more operands, but found 0}}
  "stablehlo.sort"() ({
    %0 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 0 : i64} : () -> ()
  return
}

// -----

// sort_c3
func.func @test(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %r:2 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    %0 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>)
  return
}
