// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<2x3x4x3xf32>, %arg1: tensor<6x3x3x3xf32>, %arg2: tensor<6xf32>, %arg3: tensor<6xf32>, %arg4: tensor<4x12x3x3xf32>, %arg5: tensor<4x12x1x1xf32>) -> (tensor<2x4x8x6xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x4x3xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<2x6x4x3xf32>) -> tensor<2x2x3x4x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [2, 3, 4] : (tensor<2x2x3x4x3xf32>, tensor<f32>) -> tensor<2x2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1x1x1xf32>
    %cst_0 = stablehlo.constant dense<3.600000e+01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x2x1x1x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<2x2x1x1x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2, 3, 4] : (tensor<2x2x1x1x1xf32>) -> tensor<2x2x3x4x3xf32>
    %7 = stablehlo.subtract %1, %6 : tensor<2x2x3x4x3xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<2x2x3x4x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [2, 3, 4] : (tensor<2x2x3x4x3xf32>, tensor<f32>) -> tensor<2x2xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1x1x1xf32>
    %cst_2 = stablehlo.constant dense<3.600000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2x1x1x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<2x2x1x1x1xf32>
    %13 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2, 3, 4] : (tensor<2x2x1x1x1xf32>) -> tensor<2x2x3x4x3xf32>
    %14 = stablehlo.subtract %1, %13 : tensor<2x2x3x4x3xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2x1x1x1xf32>
    %16 = stablehlo.add %12, %15 : tensor<2x2x1x1x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<2x2x1x1x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3, 4] : (tensor<2x2x1x1x1xf32>) -> tensor<2x2x3x4x3xf32>
    %19 = stablehlo.multiply %14, %18 : tensor<2x2x3x4x3xf32>
    %20 = stablehlo.reshape %19 : (tensor<2x2x3x4x3xf32>) -> tensor<2x6x4x3xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<6xf32>) -> tensor<6x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<6x1x1xf32>) -> tensor<1x6x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x6x1x1xf32>) -> tensor<2x6x4x3xf32>
    %24 = stablehlo.multiply %20, %23 : tensor<2x6x4x3xf32>
    %25 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<6xf32>) -> tensor<6x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<6x1x1xf32>) -> tensor<1x6x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x6x1x1xf32>) -> tensor<2x6x4x3xf32>
    %28 = stablehlo.add %24, %27 : tensor<2x6x4x3xf32>
    %29 = stablehlo.negate %28 : tensor<2x6x4x3xf32>
    %30 = stablehlo.exponential %29 : tensor<2x6x4x3xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x6x4x3xf32>
    %32 = stablehlo.add %31, %30 : tensor<2x6x4x3xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x6x4x3xf32>
    %34 = stablehlo.divide %33, %32 : tensor<2x6x4x3xf32>
    %35 = stablehlo.multiply %28, %34 : tensor<2x6x4x3xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 4] : (tensor<2x6x4x3xf32>) -> tensor<2x6x4x1x3x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3, 4, 5] : (tensor<2x6x4x1x3x1xf32>) -> tensor<2x6x4x2x3x2xf32>
    %38 = stablehlo.reshape %37 : (tensor<2x6x4x2x3x2xf32>) -> tensor<2x6x8x6xf32>
    %39 = stablehlo.negate %38 : tensor<2x6x8x6xf32>
    %40 = stablehlo.concatenate %38, %39, dim = 1 : (tensor<2x6x8x6xf32>, tensor<2x6x8x6xf32>) -> tensor<2x12x8x6xf32>
    %41 = stablehlo.convolution(%40, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x12x8x6xf32>, tensor<4x12x3x3xf32>) -> tensor<2x4x8x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<2x4x8x6xf32>, tensor<f32>) -> tensor<2x8x6xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 2, 3] : (tensor<2x8x6xf32>) -> tensor<2x1x8x6xf32>
    %cst_7 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x1x8x6xf32>
    %45 = stablehlo.divide %43, %44 : tensor<2x1x8x6xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<2x1x8x6xf32>) -> tensor<2x4x8x6xf32>
    %47 = stablehlo.subtract %41, %46 : tensor<2x4x8x6xf32>
    %48 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<2x1x8x6xf32>) -> tensor<2x4x8x6xf32>
    %49 = stablehlo.subtract %41, %48 : tensor<2x4x8x6xf32>
    %50 = stablehlo.multiply %49, %49 : tensor<2x4x8x6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<2x4x8x6xf32>, tensor<f32>) -> tensor<2x8x6xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 2, 3] : (tensor<2x8x6xf32>) -> tensor<2x1x8x6xf32>
    %cst_9 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x1x8x6xf32>
    %54 = stablehlo.divide %52, %53 : tensor<2x1x8x6xf32>
    %cst_10 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x1x8x6xf32>
    %56 = stablehlo.add %54, %55 : tensor<2x1x8x6xf32>
    %57 = stablehlo.rsqrt %56 : tensor<2x1x8x6xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2, 3] : (tensor<2x1x8x6xf32>) -> tensor<2x4x8x6xf32>
    %59 = stablehlo.multiply %47, %58 : tensor<2x4x8x6xf32>
    %60 = stablehlo.convolution(%40, %arg5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x12x8x6xf32>, tensor<4x12x1x1xf32>) -> tensor<2x4x8x6xf32>
    %61 = stablehlo.add %59, %60 : tensor<2x4x8x6xf32>
    return %61 : tensor<2x4x8x6xf32>
  }
}
