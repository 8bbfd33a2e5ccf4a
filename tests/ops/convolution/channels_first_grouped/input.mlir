// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<2x6x7x5xf32>, %arg1: tensor<6x1x3x3xf32>, %arg2: tensor<8x3x3x3xf32>, %arg3: tensor<12x1x3x3xf32>, %arg4: tensor<3x12x1x1xf32>) -> (tensor<2x3x4x3xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x7x5xf32>, tensor<6x1x3x3xf32>) -> tensor<2x6x7x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x7x5xf32>
    %2 = stablehlo.maximum %0, %1 : tensor<2x6x7x5xf32>
    %3 = stablehlo.convolution(%2, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x6x7x5xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x7x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x8x7x5xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<2x8x7x5xf32>
    %6 = stablehlo.slice %2 [0:2, 1:5, 0:7, 0:5] : (tensor<2x6x7x5xf32>) -> tensor<2x4x7x5xf32>
    %7 = stablehlo.concatenate %5, %6, dim = 1 : (tensor<2x8x7x5xf32>, tensor<2x4x7x5xf32>) -> tensor<2x12x7x5xf32>
    %8 = stablehlo.convolution(%7, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 12 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x12x7x5xf32>, tensor<12x1x3x3xf32>) -> tensor<2x12x4x3xf32>
    %9 = stablehlo.convolution(%8, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x12x4x3xf32>, tensor<3x12x1x1xf32>) -> tensor<2x3x4x3xf32>
    return %9 : tensor<2x3x4x3xf32>
  }
}
