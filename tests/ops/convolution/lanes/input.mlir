func.func public @main(%x: tensor<2x9x8x7xi8>, %k: tensor<3x2x7x11xi8>, %y: tensor<1x10x6x6xui8>, %l: tensor<9x10x3x3xui8>) -> (tensor<2x4x7x11xi32>, tensor<1x9x6x6xi32>) {
  // Bytes, by the machine's instruction for their dots: 7 and 10 features do not fill the last lane.
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x9x8x7xi8>, tensor<3x2x7x11xi8>) -> tensor<2x4x7x11xi32>
  %1 = stablehlo.convolution(%y, %l) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x10x6x6xui8>, tensor<9x10x3x3xui8>) -> tensor<1x9x6x6xi32>
  return %0, %1 : tensor<2x4x7x11xi32>, tensor<1x9x6x6xi32>
}
