// plain
// absolute: 1e-4
func.func public @main(%x: tensor<5x19xf32>) -> tensor<19xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [0] : (tensor<5x19xf32>, tensor<f32>) -> tensor<19xf32>
  return %1 : tensor<19xf32>
}
