// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<2x1x1x6xf32>, %arg1: tensor<5x1x1x3xf32>, %arg2: tensor<1x5x1x1xf32>) -> (tensor<2x1x1x6xf32>, tensor<2x5x1xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x1x1x6xf32>, tensor<5x1x1x3xf32>) -> tensor<2x5x1x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x1x6xf32>
    %2 = stablehlo.maximum %0, %1 : tensor<2x5x1x6xf32>
    %3 = stablehlo.convolution(%2, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x1x6xf32>, tensor<1x5x1x1xf32>) -> tensor<2x1x1x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [3] : (tensor<2x5x1x6xf32>, tensor<f32>) -> tensor<2x5x1xf32>
    return %3, %4 : tensor<2x1x1x6xf32>, tensor<2x5x1xf32>
  }
}
