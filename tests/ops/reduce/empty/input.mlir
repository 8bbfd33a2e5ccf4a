// uniform: 0
func.func public @main(%x: tensor<3x0xf32>) -> tensor<3xf32> {
  %0 = stablehlo.constant dense<1.5> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
