// rms: 4e-6
// plain
func.func public @main(%x: tensor<2x3x5xf32>, %scale: tensor<3xf32>, %mean: tensor<3xf32>, %grad: tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %variance = stablehlo.constant dense<[1.0, 0.25, 3.0]> : tensor<3xf32>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %grad) <{
    epsilon = 1.000000e-01 : f32, feature_index = 1 : i64
  }> : (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x5xf32>, tensor<3xf32>, tensor<3xf32>
}
