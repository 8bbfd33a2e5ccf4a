// Rows divided by their lengths, and squashed.
func.func @main(%x: tensor<5x33xf32>) -> tensor<5x33xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<5x33xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x33xf32>, tensor<f32>) -> tensor<5xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<5xf32>) -> tensor<5x33xf32>
  %3 = stablehlo.sqrt %2 : tensor<5x33xf32>
  %4 = stablehlo.divide %x, %3 : tensor<5x33xf32>
  %5 = stablehlo.tanh %4 : tensor<5x33xf32>
  return %5 : tensor<5x33xf32>
}
