module {
  func.func public @main(%arg0: tensor<2x4x5x3xi8>, %arg1: tensor<8x4x3x3xi8>, %arg2: tensor<3x8x1x1xi8>) -> (tensor<2x3x5x3xi32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5x3xi8>, tensor<8x4x3x3xi8>) -> tensor<2x8x5x3xi32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x8x5x3xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<2x8x5x3xi32>
    %c_0 = stablehlo.constant dense<-128> : tensor<i32>
    %c_1 = stablehlo.constant dense<127> : tensor<i32>
    %3 = call @clip(%2, %c_0, %c_1) : (tensor<2x8x5x3xi32>, tensor<i32>, tensor<i32>) -> tensor<2x8x5x3xi32>
    %4 = stablehlo.convert %3 : (tensor<2x8x5x3xi32>) -> tensor<2x8x5x3xi8>
    %5 = stablehlo.convolution(%4, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x5x3xi8>, tensor<3x8x1x1xi8>) -> tensor<2x3x5x3xi32>
    return %5 : tensor<2x3x5x3xi32>
  }
  func.func private @clip(%arg0: tensor<2x8x5x3xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<2x8x5x3xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<2x8x5x3xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<2x8x5x3xi32>
    %3 = stablehlo.convert %arg2 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<2x8x5x3xi32>
    %5 = stablehlo.minimum %4, %2 : tensor<2x8x5x3xi32>
    return %5 : tensor<2x8x5x3xi32>
  }
}
