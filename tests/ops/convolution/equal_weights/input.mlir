// absolute: 1e-4
// expect: schedule "registers 14x8"
func.func @main(%x: tensor<2x19x23x5xf32>) -> tensor<2x19x23x7xf32> {
  %w = stablehlo.constant dense<0.1> : tensor<3x3x5x7xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x19x23x5xf32>, tensor<3x3x5x7xf32>) -> tensor<2x19x23x7xf32>
  return %0 : tensor<2x19x23x7xf32>
}
