// absolute: 1e-4
// plain
func.func public @main(%x: tensor<2x3x5xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>) -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{
    epsilon = 1.000000e-01 : f32, feature_index = 1 : i64
  }> : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>
}
