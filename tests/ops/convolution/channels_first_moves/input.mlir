// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<2x3x7x5xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<6x8x3x3xf32>, %arg3: tensor<4xf32>) -> (tensor<2x6x7x5xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x7x5xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x5xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<2x4x7x5xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x4x7x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x7x5xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<2x4x7x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = call @_pad(%5, %c) : (tensor<2x4x7x5xf32>, tensor<i32>) -> tensor<2x4x10x6xf32>
    %7 = stablehlo.slice %6 [0:2, 0:4, 1:9, 0:5] : (tensor<2x4x10x6xf32>) -> tensor<2x4x8x5xf32>
    %8 = stablehlo.reverse %7, dims = [2] : tensor<2x4x8x5xf32>
    %9 = stablehlo.slice %8 [0:2, 0:4, 1:8, 0:5] : (tensor<2x4x8x5xf32>) -> tensor<2x4x7x5xf32>
    %10 = stablehlo.concatenate %5, %9, dim = 1 : (tensor<2x4x7x5xf32>, tensor<2x4x7x5xf32>) -> tensor<2x8x7x5xf32>
    %11 = stablehlo.convolution(%10, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x7x5xf32>, tensor<6x8x3x3xf32>) -> tensor<2x6x7x5xf32>
    return %11 : tensor<2x6x7x5xf32>
  }
  func.func private @_pad(%arg0: tensor<2x4x7x5xf32>, %arg1: tensor<i32>) -> tensor<2x4x10x6xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0, 1, 0], high = [0, 0, 2, 1], interior = [0, 0, 0, 0] : (tensor<2x4x7x5xf32>, tensor<f32>) -> tensor<2x4x10x6xf32>
    return %1 : tensor<2x4x10x6xf32>
  }
}
