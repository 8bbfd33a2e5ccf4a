// sizes: x.0=3,x.2=5
// open: x.0=4 x.2=23
// Images with their channels first are computed with them last: rows end at a size of the call in both, and so do batches.
func.func public @main(%x: tensor<?x3x?x7xf32> loc("x"), %k: tensor<8x3x3x3xf32> loc("k"), %l: tensor<16x8x3x3xf32> loc("l")) -> (tensor<?x16x?x7xf32>, tensor<?x16xf32>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x3x?x7xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x?x7xf32>
  %1 = stablehlo.exponential %0 : tensor<?x8x?x7xf32>
  %2 = stablehlo.convolution(%1, %l) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x8x?x7xf32>, tensor<16x8x3x3xf32>) -> tensor<?x16x?x7xf32>
  %3 = stablehlo.logistic %2 : tensor<?x16x?x7xf32>
  %4 = stablehlo.reduce(%3 init: %zeros) applies stablehlo.add across dimensions = [2, 3] : (tensor<?x16x?x7xf32>, tensor<f32>) -> tensor<?x16xf32>
  return %3, %4 : tensor<?x16x?x7xf32>, tensor<?x16xf32>
}
