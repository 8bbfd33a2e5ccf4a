// uniform: 1
// plain
func.func public @main(%x: tensor<1x4x1xf32>) -> (tensor<1x4x1xf32>, tensor<1x7x1xf32>) {
  %k = stablehlo.constant dense<[[[0x7F800000]], [[2.0]], [[1.0]]]> : tensor<3x1x1xf32>
  %n = stablehlo.constant dense<[[[1.0]], [[0x7FC00000]]]> : tensor<2x1x1xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<3x1x1xf32>) -> tensor<1x4x1xf32>
  %1 = stablehlo.convolution(%x, %n) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x7x1xf32>
  return %0, %1 : tensor<1x4x1xf32>, tensor<1x7x1xf32>
}
