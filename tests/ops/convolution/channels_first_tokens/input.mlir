// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<1x3x8x8xf32>, %arg1: tensor<6x3x4x4xf32>, %arg2: tensor<6xf32>, %arg3: tensor<4x6xf32>, %arg4: tensor<6x2xf32>) -> (tensor<1x4x6xf32>, tensor<1x2x2x2xf32>, tensor<1x6x6xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [4, 4], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x3x8x8xf32>, tensor<6x3x4x4xf32>) -> tensor<1x6x2x2xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<6xf32>) -> tensor<1x6x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x6x1x1xf32>) -> tensor<1x6x2x2xf32>
    %3 = stablehlo.add %0, %2 : tensor<1x6x2x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x6x2x2xf32>) -> tensor<1x6x4xf32>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1] : (tensor<1x6x4xf32>) -> tensor<1x4x6xf32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %7 = stablehlo.add %5, %6 : tensor<1x4x6xf32>
    %8 = stablehlo.transpose %7, dims = [0, 2, 1] : (tensor<1x4x6xf32>) -> tensor<1x6x4xf32>
    %9 = stablehlo.reshape %7 : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    %10 = stablehlo.reshape %8 : (tensor<1x6x4xf32>) -> tensor<6x4xf32>
    %11 = stablehlo.dot_general %9, %10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<1x4x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
    %15 = stablehlo.maximum %14, %13 : tensor<1x4xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<1x4x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<1x4x1xf32>) -> tensor<1x4x4xf32>
    %18 = stablehlo.subtract %12, %17 : tensor<1x4x4xf32>
    %19 = stablehlo.exponential %18 : tensor<1x4x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<1x4x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<1x4x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x4x1xf32>) -> tensor<1x4x4xf32>
    %23 = stablehlo.divide %19, %22 : tensor<1x4x4xf32>
    %24 = stablehlo.reshape %23 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
    %25 = stablehlo.reshape %7 : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
    %26 = stablehlo.dot_general %24, %25, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [1, 2] : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
    %28 = stablehlo.dot_general %arg4, %3, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x2xf32>, tensor<1x6x2x2xf32>) -> tensor<2x1x2x2xf32>
    %29 = stablehlo.transpose %28, dims = [1, 0, 2, 3] : (tensor<2x1x2x2xf32>) -> tensor<1x2x2x2xf32>
    %30 = stablehlo.dot_general %3, %3, batching_dims = [0] x [0], contracting_dims = [2, 3] x [2, 3], precision = [DEFAULT, DEFAULT] : (tensor<1x6x2x2xf32>, tensor<1x6x2x2xf32>) -> tensor<1x6x6xf32>
    return %27, %29, %30 : tensor<1x4x6xf32>, tensor<1x2x2x2xf32>, tensor<1x6x6xf32>
  }
}
