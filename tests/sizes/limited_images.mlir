// sizes: x.1=5
// every: x.1=23
// Convolutions read rows below their own: of what they read, more rows are needed than there are of the result.
func.func public @main(%x: tensor<2x?x11x3xf32> loc("x"), %k: tensor<3x3x3x8xf32> loc("k"), %l: tensor<5x3x8x16xf32> loc("l")) -> (tensor<2x?x11x16xf32>, tensor<2x16xf32>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x?x11x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x?x11x8xf32>
  %1 = stablehlo.exponential %0 : tensor<2x?x11x8xf32>
  %2 = stablehlo.convolution(%1, %l) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x?x11x8xf32>, tensor<5x3x8x16xf32>) -> tensor<2x?x11x16xf32>
  %3 = stablehlo.logistic %2 : tensor<2x?x11x16xf32>
  %4 = stablehlo.reduce(%3 init: %zeros) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x?x11x16xf32>, tensor<f32>) -> tensor<2x16xf32>
  return %3, %4 : tensor<2x?x11x16xf32>, tensor<2x16xf32>
}
