// plain
// absolute: 1e-4
// expect: schedule "rows 8"
func.func public @main(%x: tensor<3x519xf32>, %y: tensor<3x150xf64>) -> (tensor<3x519xf32>, tensor<3xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x519xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf32>) -> tensor<3x519xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x519xf32>
  %3 = stablehlo.exponential %2 : tensor<3x519xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x519xf32>, tensor<f32>) -> tensor<3xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xf32>) -> tensor<3x519xf32>
  %6 = stablehlo.divide %3, %5 : tensor<3x519xf32>
  %one = stablehlo.constant dense<0.0> : tensor<f64>
  %7 = stablehlo.reduce(%y init: %one) applies stablehlo.add across dimensions = [1] : (tensor<3x150xf64>, tensor<f64>) -> tensor<3xf64>
  return %6, %7 : tensor<3x519xf32>, tensor<3xf64>
}
