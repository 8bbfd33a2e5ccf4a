// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<2x3x5x4xf32>, %arg1: tensor<3x3x3x3xf32>, %arg2: tensor<3x3x3x3xf32>, %arg3: tensor<60x7xf32>) -> (tensor<2x3x5x4xf32>, tensor<2x7xf32>, tensor<3xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x5x4xf32>, tensor<3x3x3x3xf32>) -> tensor<2x3x5x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x5x4xf32>
    %2 = stablehlo.maximum %0, %1 : tensor<2x3x5x4xf32>
    %3 = stablehlo.convolution(%2, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x5x4xf32>, tensor<3x3x3x3xf32>) -> tensor<2x3x5x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3x5x4xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<2x3x5x4xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<2x3x5x4xf32>
    %7 = stablehlo.reshape %6 : (tensor<2x3x5x4xf32>) -> tensor<2x60xf32>
    %8 = stablehlo.dot_general %7, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x60xf32>, tensor<60x7xf32>) -> tensor<2x7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<3xf32>
    return %6, %8, %9 : tensor<2x3x5x4xf32>, tensor<2x7xf32>, tensor<3xf32>
  }
}
