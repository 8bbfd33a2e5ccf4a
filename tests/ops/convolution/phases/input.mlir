// plain
// absolute: 1e-3
func.func public @main(%x: tensor<1x7x9x16xf32>, %w: tensor<3x4x16x12xf32>, %y: tensor<4x32x97xf32>, %v: tensor<32x8x5xf32>, %i: tensor<2x65x8xi32>, %u: tensor<3x8x24xi32>, %z: tensor<1x24000x1xf32>)
    -> (tensor<1x14x26x12xf32>, tensor<4x32x144xf32>, tensor<2x257x24xi32>, tensor<1x13x16x16xf32>, tensor<1x48000x1xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 1], [2, 2]], lhs_dilate = [2, 3], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x9x16xf32>, tensor<3x4x16x12xf32>) -> tensor<1x14x26x12xf32>
  %1 = stablehlo.convolution(%y, %v) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [4], pad = [[3, -1]], lhs_dilate = [6], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<4x32x97xf32>, tensor<32x8x5xf32>) -> tensor<4x32x144xf32>
  %2 = stablehlo.convolution(%i, %u) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]], lhs_dilate = [4]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x65x8xi32>, tensor<3x8x24xi32>) -> tensor<2x257x24xi32>
  %splat = stablehlo.constant dense<0.5> : tensor<2x2x16x16xf32>
  %3 = stablehlo.convolution(%x, %splat) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 0], [0, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x9x16xf32>, tensor<2x2x16x16xf32>) -> tensor<1x13x16x16xf32>
  %infinite = stablehlo.constant dense<[[[0x7F800000]], [[2.0]], [[1.0]]]> : tensor<3x1x1xf32>
  %4 = stablehlo.convolution(%z, %infinite) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x24000x1xf32>, tensor<3x1x1xf32>) -> tensor<1x48000x1xf32>
  return %0, %1, %2, %3, %4 : tensor<1x14x26x12xf32>, tensor<4x32x144xf32>, tensor<2x257x24xi32>, tensor<1x13x16x16xf32>, tensor<1x48000x1xf32>
}
