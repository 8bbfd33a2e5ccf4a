func.func public @main(%x: tensor<1x3x2xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x0x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [5]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x2xf32>, tensor<2x2x3xf32>) -> tensor<1x0x3xf32>
  return %0 : tensor<1x0x3xf32>
}
