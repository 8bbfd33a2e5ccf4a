// sizes: x.1=5
// every: x.1=40
// open: x.1=150
// Reductions of columns that the program returns, beside those of all elements, which are computed from them.
func.func public @main(%x: tensor<7x?xf32> loc("x")) -> (tensor<?xf32>, tensor<f32>, tensor<?xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7x?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x?xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<7x?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = stablehlo.reduce(%2 init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<f32>, tensor<?xf32>, tensor<f32>
}
