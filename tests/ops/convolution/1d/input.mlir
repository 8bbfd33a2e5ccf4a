// plain
// absolute: 1e-4
func.func public @main(%x: tensor<2x9x3xf32>, %w: tensor<4x3x5xf32>) -> tensor<2x6x5xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<4x3x5xf32>) -> tensor<2x6x5xf32>
  return %0 : tensor<2x6x5xf32>
}
