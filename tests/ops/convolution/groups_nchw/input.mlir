// ulp: 8
// absolute: 1e-4
// plain
func.func public @main(%x: tensor<2x15x11x9xf32>, %k: tensor<18x5x3x3xf32>) -> tensor<2x18x6x9xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [2, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64}
    : (tensor<2x15x11x9xf32>, tensor<18x5x3x3xf32>) -> tensor<2x18x6x9xf32>
  return %0 : tensor<2x18x6x9xf32>
}
