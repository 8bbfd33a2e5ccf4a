// expect: schedule "registers 4x16"
// absolute: 1e-4
func.func public @main(%x: tensor<1x6x14x35xf32>, %w: tensor<3x3x1x35xf32>) -> tensor<1x4x12x35xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 35 : i64} : (tensor<1x6x14x35xf32>, tensor<3x3x1x35xf32>) -> tensor<1x4x12x35xf32>
  return %0 : tensor<1x4x12x35xf32>
}
