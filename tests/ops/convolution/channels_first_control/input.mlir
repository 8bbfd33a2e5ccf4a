// plain
// absolute: 1e-4
module {
  func.func public @main(%arg0: tensor<1x4x5x3xf32>, %arg1: tensor<4x4x3x3xf32>, %arg2: tensor<i32>, %arg3: tensor<4x4x1x1xf32>) -> (tensor<1x4x5x3xf32>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x4x5x3xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<1x4x5x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg2, %iterArg_1 = %arg1, %iterArg_2 = %c, %iterArg_3 = %arg0, %iterArg_4 = %1) : tensor<i32>, tensor<4x4x3x3xf32>, tensor<i32>, tensor<1x4x5x3xf32>, tensor<1x4x5x3xf32>
    cond {
      %c_5 = stablehlo.constant dense<3> : tensor<i32>
      %7 = stablehlo.minimum %iterArg, %c_5 : tensor<i32>
      %8 = stablehlo.convert %iterArg_2 : tensor<i32>
      %9 = stablehlo.compare LT, %8, %7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_2, %c_5 : tensor<i32>
      %8 = stablehlo.convolution(%iterArg_3, %iterArg_1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x5x3xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x5x3xf32>
      %9 = stablehlo.tanh %8 : tensor<1x4x5x3xf32>
      %10 = stablehlo.add %iterArg_4, %iterArg_3 : tensor<1x4x5x3xf32>
      stablehlo.return %iterArg, %iterArg_1, %7, %9, %10 : tensor<i32>, tensor<4x4x3x3xf32>, tensor<i32>, tensor<1x4x5x3xf32>, tensor<1x4x5x3xf32>
    }
    %3 = stablehlo.optimization_barrier %2#3 : tensor<1x4x5x3xf32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.compare GT, %arg2, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.convert %4 : (tensor<i1>) -> tensor<i32>
    %6 = "stablehlo.case"(%5) ({
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x4x5x3xf32>
      %8 = stablehlo.maximum %3, %7 : tensor<1x4x5x3xf32>
      stablehlo.return %8 : tensor<1x4x5x3xf32>
    }, {
      %7 = stablehlo.convolution(%3, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x5x3xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x5x3xf32>
      %8 = stablehlo.add %7, %2#4 : tensor<1x4x5x3xf32>
      stablehlo.return %8 : tensor<1x4x5x3xf32>
    }) : (tensor<i32>) -> tensor<1x4x5x3xf32>
    return %6 : tensor<1x4x5x3xf32>
  }
}
