// plain
// absolute: 2e-3
func.func public @main(%x: tensor<1x6x7x130xf32>, %k: tensor<3x3x130x19xf32>, %long: tensor<2x1x1501xf32>, %taps: tensor<3x1x1450xf32>)
    -> (tensor<1x4x5x19xf32>, tensor<2x3x52xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x7x130xf32>, tensor<3x3x130x19xf32>) -> tensor<1x4x5x19xf32>
  %1 = stablehlo.convolution(%long, %taps) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x1501xf32>, tensor<3x1x1450xf32>) -> tensor<2x3x52xf32>
  return %0, %1 : tensor<1x4x5x19xf32>, tensor<2x3x52xf32>
}
