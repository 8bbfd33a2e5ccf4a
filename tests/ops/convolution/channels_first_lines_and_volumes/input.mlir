// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<2x3x11xf32>, %arg1: tensor<5x3x3xf32>, %arg2: tensor<5x1x4xf32>, %arg3: tensor<4x5x3xf32>, %arg4: tensor<2x3x4x3x5xf32>, %arg5: tensor<4x3x2x2x2xf32>, %arg6: tensor<3x4x1x1x1xf32>) -> (tensor<2x4xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x11xf32>, tensor<5x3x3xf32>) -> tensor<2x5x11xf32>
    %1 = call @silu(%0) : (tensor<2x5x11xf32>) -> tensor<2x5x11xf32>
    %2 = stablehlo.convolution(%1, %arg2) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 5 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x11xf32>, tensor<5x1x4xf32>) -> tensor<2x5x10xf32>
    %3 = stablehlo.convolution(%arg4, %arg5) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {stride = [1, 1, 1], pad = [[1, 1], [1, 1], [1, 1]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1], reverse = [false, false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x4x3x5xf32>, tensor<4x3x2x2x2xf32>) -> tensor<2x4x5x4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x5x4x6xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<2x4x5x4x6xf32>
    %6 = stablehlo.convolution(%5, %arg6) dim_numbers = [b, f, 0, 1, 2]x[o, i, 0, 1, 2]->[b, f, 0, 1, 2], window = {stride = [1, 1, 1], pad = [[0, 0], [0, 0], [0, 0]], lhs_dilate = [1, 1, 1], rhs_dilate = [1, 1, 1], reverse = [false, false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5x4x6xf32>, tensor<3x4x1x1x1xf32>) -> tensor<2x3x5x4x6xf32>
    %7 = stablehlo.convolution(%2, %arg3) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [2], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x10xf32>, tensor<4x5x3xf32>) -> tensor<2x4x19xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x4x19xf32>, tensor<f32>) -> tensor<2x4xf32>
    %cst_1 = stablehlo.constant dense<1.900000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %10 = stablehlo.divide %8, %9 : tensor<2x4xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.maximum across dimensions = [2, 3, 4] : (tensor<2x3x5x4x6xf32>, tensor<f32>) -> tensor<2x3xf32>
    return %10, %11 : tensor<2x4xf32>, tensor<2x3xf32>
  }
  func.func private @silu(%arg0: tensor<2x5x11xf32>) -> tensor<2x5x11xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2x5x11xf32>
    %1 = stablehlo.exponential %0 : tensor<2x5x11xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x11xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x5x11xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x5x11xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x5x11xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x5x11xf32>
    return %6 : tensor<2x5x11xf32>
  }
}
