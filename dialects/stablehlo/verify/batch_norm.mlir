// Programs that the verifier rejects, one or more for each constraint of the
// batch_norm family. The comment above a program names the constraint.

// batch_norm_inference_c1
func.func @test(%a: tensor<4x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+2 {{expected feature_index in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.batch_norm_inference"(%a, %s, %s, %s, %s) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// batch_norm_inference_c2
func.func @test(%a: tensor<4x3xf32>, %s: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected 'f32', found 'f64'}}
  %r = "stablehlo.batch_norm_inference"(%a, %s, %s, %s, %s) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<4x3xf32>
  return
}

// -----

// batch_norm_inference_c3
func.func @test(%a: tensor<4x3xf32>, %s: tensor<3xf32>, %t: tensor<2xf32>) {
  // expected-error@+2 {{expected vectors of length 3, that of the feature dimension, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.batch_norm_inference"(%a, %t, %s, %s, %s) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// batch_norm_inference_c7
func.func @test(%a: tensor<4x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<3x3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.batch_norm_inference"(%a, %s, %s, %s, %s) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// batch_norm_training_c1
func.func @test(%a: tensor<4x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+2 {{expected feature_index in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_training"(%a, %s, %s) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_training_c5
func.func @test(%a: tensor<4x3xf32>, %s: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x3xf32>', 'tensor<3xf32>', 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<4x3xf32>', 'tensor<4xf32>', 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_training"(%a, %s, %s) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_grad_c3
func.func @test(%a: tensor<4x3xf32>, %s: tensor<3xf32>, %g: tensor<4x2xf32>) {
  // expected-error@+2 {{expected grad_output of shape of 'tensor<4x3xf32>', found 'tensor<4x2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %g) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_grad_c5
func.func @test(%a: tensor<4x3xf32>, %s: tensor<4xf32>) {
  // expected-error@+2 {{expected vectors of length 3, that of the feature dimension, found 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_grad"(%a, %s, %s, %s, %a) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_grad_c1
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+2 {{expected feature_index in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %c, %a) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_grad_c2
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf64>, %c: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected 'f32', found 'f64'}}
  %r:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %c, %a) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf64>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_grad_c4
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x3xf32>', 'tensor<3xf32>', 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<4x3xf32>', 'tensor<2xf32>', 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %c, %a) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_inference_c4
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+2 {{expected vectors of length 3, that of the feature dimension, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.batch_norm_inference"(%a, %b, %c, %b, %b) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// batch_norm_inference_c5
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+2 {{expected vectors of length 3, that of the feature dimension, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.batch_norm_inference"(%a, %b, %b, %c, %b) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// batch_norm_inference_c6
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+2 {{expected vectors of length 3, that of the feature dimension, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.batch_norm_inference"(%a, %b, %b, %b, %c) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

// batch_norm_training_c2
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf64>, %c: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected 'f32', found 'f64'}}
  %r:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf64>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_training_c3
func.func @test(%a: tensor<4x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) {
  // expected-error@+2 {{expected vectors of length 3, that of the feature dimension, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_training_c4
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+2 {{expected vectors of length 3, that of the feature dimension, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// batch_norm_training_c6
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x3xf32>', 'tensor<3xf32>', 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<4x3xf32>', 'tensor<3xf32>', 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

// batch_norm_training_c7
func.func @test(%a: tensor<4x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x3xf32>', 'tensor<3xf32>', 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>', 'tensor<3xf32>', 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
