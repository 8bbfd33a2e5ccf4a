// range: -9 9
func.func public @main(%x: tensor<1x5x4x4xi32>, %k: tensor<2x3x2x6xi32>) -> tensor<1x4x2x6xi32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<1x5x4x4xi32>, tensor<2x3x2x6xi32>) -> tensor<1x4x2x6xi32>
  return %0 : tensor<1x4x2x6xi32>
}
