// Convolutions. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<1x8x9x4xf32>, %arg1: tensor<3x3x4x8xf32>, %arg2: tensor<1x8x4xf32>, %arg3: tensor<3x4x8xf32>, %arg4: tensor<1x2xi32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x9x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x4x6x8xf32>
    %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, f]x[0, i, o]->[f, 0, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>) -> tensor<8x6x1xf32>
    %2 = "stablehlo.dynamic_conv"(%arg2, %arg3, %arg4) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
    return
  }
}
