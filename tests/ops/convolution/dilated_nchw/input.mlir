// plain
// absolute: 1e-4
func.func public @main(%x: tensor<1x2x5x7xf32>, %w: tensor<3x2x2x2xf32>) -> tensor<1x3x9x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[0, 1], [0, 0]], lhs_dilate = [2, 1], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x5x7xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x9x5xf32>
  return %0 : tensor<1x3x9x5xf32>
}
