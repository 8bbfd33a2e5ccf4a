// sizes: x.0=4,x.2=3
// open: x.0=17 x.2=9
// every: x.0=7,x.2=4
// Normalisation in training and its gradient: moments are those of the valid elements.
func.func public @main(%x: tensor<?x3x?xf32> loc("x"), %scale: tensor<3xf32>, %offset: tensor<3xf32>) -> (tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>)
  %g = stablehlo.sine %x : tensor<?x3x?xf32>
  %1:3 = "stablehlo.batch_norm_grad"(%x, %scale, %0#1, %0#2, %g) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<?x3x?xf32>) -> (tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2 : tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<?x3x?xf32>, tensor<3xf32>, tensor<3xf32>
}
