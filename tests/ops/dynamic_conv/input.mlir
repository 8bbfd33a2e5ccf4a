func.func public @main(%x: tensor<1x5x3xi32>, %k: tensor<3x3x2xi32>) -> tensor<1x5x2xi32> {
  %padding = stablehlo.constant dense<[[1, 1]]> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %padding) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64} : (tensor<1x5x3xi32>, tensor<3x3x2xi32>, tensor<1x2xi64>) -> tensor<1x5x2xi32>
  return %0 : tensor<1x5x2xi32>
}
