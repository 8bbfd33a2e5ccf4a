// plain
// absolute: 1e-4

// One feature: vectors are places beside each other, in any order of dimensions in which these come last, and with any stride of the others.
func.func public @main(%x: tensor<2x1x7x45xf32>, %w: tensor<1x1x3x4xf32>, %y: tensor<1x2x67x1xf32>, %v: tensor<2x5x1x1xf32>, %z: tensor<2x90x1xf32>, %u: tensor<1x9x1xf32>) -> (tensor<2x1x3x45xf32>, tensor<1x1x55x1xf32>, tensor<2x1x90xf32>, tensor<2x41x1xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[0, 0], [2, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x7x45xf32>, tensor<1x1x3x4xf32>) -> tensor<2x1x3x45xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x1x3x45xf32>
  %positive = stablehlo.maximum %0, %zero : tensor<2x1x3x45xf32>
  %1 = stablehlo.convolution(%y, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, 3], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x67x1xf32>, tensor<2x5x1x1xf32>) -> tensor<1x1x55x1xf32>
  %2 = stablehlo.convolution(%z, %u) dim_numbers = [b, 0, f]x[i, 0, o]->[b, f, 0], window = {pad = [[4, 4]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x90x1xf32>, tensor<1x9x1xf32>) -> tensor<2x1x90xf32>
  %3 = stablehlo.convolution(%z, %u) dim_numbers = [b, 0, f]x[i, 0, o]->[b, 0, f], window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x90x1xf32>, tensor<1x9x1xf32>) -> tensor<2x41x1xf32>
  return %positive, %1, %2, %3 : tensor<2x1x3x45xf32>, tensor<1x1x55x1xf32>, tensor<2x1x90xf32>, tensor<2x41x1xf32>
}
