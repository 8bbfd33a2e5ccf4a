// plain
// rms: 4e-6
module {
  func.func public @main(%arg0: tensor<2x3x5x4xf32>, %arg1: tensor<5x3x3x3xf32>, %arg2: tensor<5x5x3x3xf32>, %arg3: tensor<i32>) -> (tensor<2x5x5x4xf32>, tensor<2x5x4xi32>, tensor<2x5x5x4xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x5x4xf32>, tensor<5x3x3x3xf32>) -> tensor<2x5x5x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg3, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.add %arg3, %c_0 : tensor<i32>
    %3 = stablehlo.select %1, %2, %arg3 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %arg3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %5 = stablehlo.add %arg3, %c_2 : tensor<i32>
    %6 = stablehlo.select %4, %5, %arg3 : tensor<i1>, tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.dynamic_slice %0, %c_3, %3, %c_4, %6, sizes = [2, 2, 3, 2] : (tensor<2x5x5x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x2x3x2xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x3x2xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<2x2x3x2xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.compare LT, %arg3, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<5> : tensor<i32>
    %11 = stablehlo.add %arg3, %c_6 : tensor<i32>
    %12 = stablehlo.select %10, %11, %arg3 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.dynamic_update_slice %0, %9, %c_7, %c_8, %12, %c_9 : (tensor<2x5x5x4xf32>, tensor<2x2x3x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x5x5x4xf32>
    %14 = stablehlo.iota dim = 1 : tensor<2x5x5x4xi32>
    %15 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<i32>) -> tensor<2x5x5x4xi32>
    %16 = stablehlo.compare GT, %14, %15, SIGNED : (tensor<2x5x5x4xi32>, tensor<2x5x5x4xi32>) -> tensor<2x5x5x4xi1>
    %17 = "stablehlo.sort"(%13) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.compare EQ, %arg4, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.select %24, %cst_12, %arg4 : tensor<i1>, tensor<f32>
      %26 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_13 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %27 = stablehlo.select %26, %cst_13, %25 : tensor<i1>, tensor<f32>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %28 = stablehlo.compare EQ, %arg5, %cst_14, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %29 = stablehlo.select %28, %cst_15, %arg5 : tensor<i1>, tensor<f32>
      %30 = stablehlo.compare NE, %arg5, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_16 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %31 = stablehlo.select %30, %cst_16, %29 : tensor<i1>, tensor<f32>
      %32 = stablehlo.compare LT, %27, %31, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %32 : tensor<i1>
    }) : (tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32>
    %18 = call @_where(%16, %13, %17) : (tensor<2x5x5x4xi1>, tensor<2x5x5x4xf32>, tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32>
    %19 = stablehlo.iota dim = 2 : tensor<2x5x5x4xf32>
    %c_10 = stablehlo.constant dense<-1> : tensor<i32>
    %20 = call @clip(%18, %c_10, %19) : (tensor<2x5x5x4xf32>, tensor<i32>, tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32>
    %21 = stablehlo.convolution(%20, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x5x4xf32>, tensor<5x5x3x3xf32>) -> tensor<2x5x5x4xf32>
    %22 = call @argmax(%20) : (tensor<2x5x5x4xf32>) -> tensor<2x5x4xi32>
    %23 = call @cumsum(%20) : (tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32>
    return %21, %22, %23 : tensor<2x5x5x4xf32>, tensor<2x5x4xi32>, tensor<2x5x5x4xf32>
  }
  func.func private @_where(%arg0: tensor<2x5x5x4xi1>, %arg1: tensor<2x5x5x4xf32>, %arg2: tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<2x5x5x4xi1>, tensor<2x5x5x4xf32>
    return %0 : tensor<2x5x5x4xf32>
  }
  func.func private @clip(%arg0: tensor<2x5x5x4xf32>, %arg1: tensor<i32>, %arg2: tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x5x5x4xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<2x5x5x4xf32>
    %3 = stablehlo.minimum %arg2, %2 : tensor<2x5x5x4xf32>
    return %3 : tensor<2x5x5x4xf32>
  }
  func.func private @argmax(%arg0: tensor<2x5x5x4xf32>) -> tensor<2x5x4xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<2x5x5x4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<2x5x5x4xf32>, tensor<2x5x5x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<2x5x4xi32>
  }
  func.func private @cumsum(%arg0: tensor<2x5x5x4xf32>) -> tensor<2x5x5x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [3, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 1, 4>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x5x5x4xf32>, tensor<f32>) -> tensor<2x5x5x4xf32>
    return %1 : tensor<2x5x5x4xf32>
  }
}
