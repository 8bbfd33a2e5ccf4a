// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<1x3x9x6xf32>, %arg1: tensor<5x3x3x3xf32>, %arg2: tensor<2x5x1x1xf32>, %arg3: tensor<5x2x1x1xf32>, %arg4: tensor<7x5x3x3xf32>) -> (tensor<1x7x3x3xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x3x9x6xf32>, tensor<5x3x3x3xf32>) -> tensor<1x5x9x6xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [1, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %20 = stablehlo.maximum %arg5, %arg6 : tensor<f32>
      stablehlo.return %20 : tensor<f32>
    }) : (tensor<1x5x9x6xf32>, tensor<f32>) -> tensor<1x5x5x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [2, 3] : (tensor<1x5x5x5xf32>, tensor<f32>) -> tensor<1x5xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<1x5x1x1xf32>
    %cst_1 = stablehlo.constant dense<2.500000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x5x1x1xf32>
    %6 = stablehlo.divide %4, %5 : tensor<1x5x1x1xf32>
    %7 = stablehlo.convolution(%6, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x5x1x1xf32>, tensor<2x5x1x1xf32>) -> tensor<1x2x1x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x2x1x1xf32>
    %9 = stablehlo.maximum %7, %8 : tensor<1x2x1x1xf32>
    %10 = stablehlo.convolution(%9, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x2x1x1xf32>, tensor<5x2x1x1xf32>) -> tensor<1x5x1x1xf32>
    %11 = stablehlo.negate %10 : tensor<1x5x1x1xf32>
    %12 = stablehlo.exponential %11 : tensor<1x5x1x1xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x5x1x1xf32>
    %14 = stablehlo.add %13, %12 : tensor<1x5x1x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x5x1x1xf32>
    %16 = stablehlo.divide %15, %14 : tensor<1x5x1x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x5x1x1xf32>) -> tensor<1x5x5x5xf32>
    %18 = stablehlo.multiply %2, %17 : tensor<1x5x5x5xf32>
    %19 = stablehlo.convolution(%18, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x5x5x5xf32>, tensor<7x5x3x3xf32>) -> tensor<1x7x3x3xf32>
    return %19 : tensor<1x7x3x3xf32>
  }
}
