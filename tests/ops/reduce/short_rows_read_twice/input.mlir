// expect: schedule "rows 4x8"
// ulp: 4
func.func public @main(%x: tensor<3x5x19xf32>, %w: tensor<19xf32>) -> tensor<3x5x19xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x19xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x19xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x19xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x19xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x19xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x19xf32>
  %6 = stablehlo.divide %3, %5 : tensor<3x5x19xf32>
  %7 = stablehlo.broadcast_in_dim %w, dims = [2] : (tensor<19xf32>) -> tensor<3x5x19xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<3x5x19xf32>
  return %8 : tensor<3x5x19xf32>
}
