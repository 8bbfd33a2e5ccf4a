// plain
// absolute: 1e-4
func.func public @main(%x: tensor<2x7x7x2xf32>, %w: tensor<3x2x2x3xf32>) -> tensor<2x3x4x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x7x2xf32>, tensor<3x2x2x3xf32>) -> tensor<2x3x4x3xf32>
  return %0 : tensor<2x3x4x3xf32>
}
