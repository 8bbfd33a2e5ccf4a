// uniform: 0
func.func public @main(%x: tensor<5x3xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
