// plain
// absolute: 1e-3
func.func public @main(%x: tensor<1x12x12x32xf32>, %y: tensor<4x64x96xf32>, %v: tensor<64x64x3xf32>, %i: tensor<1x16x16x32xi32>, %u: tensor<3x3x16x32xi32>, %z: tensor<1x10x10x64xf32>, %w: tensor<3x3x64x32xf32>)
    -> (tensor<1x12x12x32xf32>, tensor<4x64x50xf32>, tensor<1x16x16x32xi32>, tensor<1x10x10x32xf32>) {
  %iota = stablehlo.iota dim = 1 : tensor<3x3x32x32xf32>
  %row = stablehlo.iota dim = 0 : tensor<3x3x32x32xf32>
  %column = stablehlo.iota dim = 2 : tensor<3x3x32x32xf32>
  %sum = stablehlo.multiply %iota, %column : tensor<3x3x32x32xf32>
  %kernel = stablehlo.subtract %sum, %row : tensor<3x3x32x32xf32>
  %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[8, 8], [8, 8]], rhs_dilate = [8, 8]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x12x12x32xf32>, tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<1x1x1xf32>
  %feature = stablehlo.constant dense<5> : tensor<i32>
  %tap = stablehlo.constant dense<2> : tensor<i32>
  %infinite = stablehlo.dynamic_update_slice %v, %infinity, %feature, %feature, %tap : (tensor<64x64x3xf32>, tensor<1x1x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<64x64x3xf32>
  %1 = stablehlo.convolution(%y, %infinite) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[45, 38]], rhs_dilate = [40], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x64x96xf32>, tensor<64x64x3xf32>) -> tensor<4x64x50xf32>
  %2 = stablehlo.convolution(%i, %u) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[9, 9], [9, 9]], rhs_dilate = [9, 9]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x16x16x32xi32>, tensor<3x3x16x32xi32>) -> tensor<1x16x16x32xi32>
  %3 = stablehlo.convolution(%z, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[11, 11], [11, 11]], rhs_dilate = [11, 11]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x10x10x64xf32>, tensor<3x3x64x32xf32>) -> tensor<1x10x10x32xf32>
  return %0, %1, %2, %3 : tensor<1x12x12x32xf32>, tensor<4x64x50xf32>, tensor<1x16x16x32xi32>, tensor<1x10x10x32xf32>
}
