// plain
// absolute: 1e-3
module {
  func.func public @main(%arg0: tensor<3x2x5x4xf32>, %arg1: tensor<4x2x3x3xf32>, %arg2: tensor<3x4x2x2xf32>, %arg3: tensor<3x3x2x1xf32>) -> (tensor<4x2x3x3xf32>, tensor<3x4x2x2xf32>, tensor<3x2x5x4xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x2x5x4xf32>, tensor<4x2x3x3xf32>) -> tensor<3x4x5x4xf32>
    %1 = stablehlo.tanh %0 : tensor<3x4x5x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4x5x4xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<3x4x5x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %5 = "stablehlo.reduce_window"(%1, %4) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %31 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<3x4x5x4xf32>, tensor<f32>) -> tensor<3x4x2x2xf32>
    %6 = stablehlo.convolution(%5, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x4x2x2xf32>, tensor<3x4x2x2xf32>) -> tensor<3x3x1x1xf32>
    %7 = stablehlo.slice %arg3 [0:3, 0:3, 0:1, 0:1] : (tensor<3x3x2x1xf32>) -> tensor<3x3x1x1xf32>
    %8 = stablehlo.subtract %6, %7 : tensor<3x3x1x1xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x3x1x1xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<3x3x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x3x1x1xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<3x3x1x1xf32>
    %13 = stablehlo.convolution(%5, %12) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x4x2x2xf32>, tensor<3x3x1x1xf32>) -> tensor<3x4x2x2xf32>
    %14 = stablehlo.reverse %arg2, dims = [2, 3] : tensor<3x4x2x2xf32>
    %15 = stablehlo.convolution(%12, %14) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x3x1x1xf32>, tensor<3x4x2x2xf32>) -> tensor<3x4x2x2xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.pad %1, %cst_3, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<3x4x5x4xf32>, tensor<f32>) -> tensor<3x4x5x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = "stablehlo.select_and_scatter"(%16, %15, %cst_4) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %31 = stablehlo.compare GE, %arg4, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %31 : tensor<i1>
    }, {
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %31 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<3x4x5x4xf32>, tensor<3x4x2x2xf32>, tensor<f32>) -> tensor<3x4x5x4xf32>
    %18 = stablehlo.slice %17 [0:3, 0:4, 0:5, 0:4] : (tensor<3x4x5x4xf32>) -> tensor<3x4x5x4xf32>
    %19 = stablehlo.multiply %18, %3 : tensor<3x4x5x4xf32>
    %20 = stablehlo.multiply %19, %1 : tensor<3x4x5x4xf32>
    %21 = stablehlo.add %19, %20 : tensor<3x4x5x4xf32>
    %22 = stablehlo.convolution(%arg0, %21) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x2x5x4xf32>, tensor<3x4x5x4xf32>) -> tensor<4x2x3x3xf32>
    %23 = stablehlo.reverse %arg1, dims = [2, 3] : tensor<4x2x3x3xf32>
    %24 = stablehlo.convolution(%21, %23) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<3x4x5x4xf32>, tensor<4x2x3x3xf32>) -> tensor<3x2x5x4xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x2x3x3xf32>
    %26 = stablehlo.multiply %25, %22 : tensor<4x2x3x3xf32>
    %27 = stablehlo.subtract %arg1, %26 : tensor<4x2x3x3xf32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x4x2x2xf32>
    %29 = stablehlo.multiply %28, %13 : tensor<3x4x2x2xf32>
    %30 = stablehlo.subtract %arg2, %29 : tensor<3x4x2x2xf32>
    return %27, %30, %24 : tensor<4x2x3x3xf32>, tensor<3x4x2x2xf32>, tensor<3x2x5x4xf32>
  }
}
