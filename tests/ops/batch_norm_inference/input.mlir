// ulp: 16
// plain
func.func public @main(%x: tensor<2x3x5xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>) -> tensor<2x3x5xf32> {
  %mean = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf32>
  %variance = stablehlo.constant dense<[1.0, 0.25, 3.0]> : tensor<3xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) <{
    epsilon = 1.000000e-03 : f32, feature_index = 1 : i64
  }> : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}
