// plain
// absolute: 1e-4
// ulp: 64
func.func public @main(%x: tensor<1x5x1xi4>, %k: tensor<3x1x1xi4>, %n: tensor<0x5x3xf32>, %l: tensor<3x3x5xf32>, %b: tensor<3x7xf32>, %c: tensor<7x5xf32>) -> (tensor<1x3x1xi4>, tensor<0x3x5xf32>, tensor<3x5xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x1xi4>, tensor<3x1x1xi4>) -> tensor<1x3x1xi4>
  %1 = stablehlo.convolution(%n, %l) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<0x5x3xf32>, tensor<3x3x5xf32>) -> tensor<0x3x5xf32>
  %2 = stablehlo.convolution(%b, %c) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x7xf32>, tensor<7x5xf32>) -> tensor<3x5xf32>
  return %0, %1, %2 : tensor<1x3x1xi4>, tensor<0x3x5xf32>, tensor<3x5xf32>
}
