// range: -9 9
func.func public @main(%x: tensor<4x3x5xi32>, %k: tensor<6x3x2xi32>) -> tensor<2x6x9xi32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
    window = {pad = [[1, 0]], lhs_dilate = [2], rhs_dilate = [1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
    : (tensor<4x3x5xi32>, tensor<6x3x2xi32>) -> tensor<2x6x9xi32>
  return %0 : tensor<2x6x9xi32>
}
