// plain
// expect: schedule "registers 7x8"
// rms: 4e-6
module {
  func.func public @main(%x: tensor<1x6x7x5xf32>, %k: tensor<3x3x5x19xf32>, %d: tensor<3x3x1x19xf32>, %b: tensor<19xf32>, %s: tensor<1x6x7x19xf32>, %l: tensor<1x1x9x8xf32>, %m: tensor<1x3x8x16xf32>, %t: tensor<1x1x9x16xf32>) -> (tensor<1x6x7x19xf32>, tensor<1x6x7x19xf32>, tensor<1x6x7x19xf32>, tensor<19xf32>, tensor<1x1x9x16xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<1x6x7x19xf32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x7x5xf32>, tensor<3x3x5x19xf32>) -> tensor<1x6x7x19xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<19xf32>) -> tensor<1x6x7x19xf32>
    %2 = stablehlo.add %0, %1 : tensor<1x6x7x19xf32>
    %3 = stablehlo.maximum %2, %zero : tensor<1x6x7x19xf32>
    %4 = stablehlo.convolution(%3, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 19 : i64} : (tensor<1x6x7x19xf32>, tensor<3x3x1x19xf32>) -> tensor<1x6x7x19xf32>
    %5 = stablehlo.multiply %s, %1 : tensor<1x6x7x19xf32>
    %6 = stablehlo.add %4, %5 : tensor<1x6x7x19xf32>
    %7 = stablehlo.logistic %6 : tensor<1x6x7x19xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<1x6x7x19xf32>
    %9 = stablehlo.add %8, %3 : tensor<1x6x7x19xf32>
    %10 = stablehlo.reduce(%9 init: %start) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x6x7x19xf32>, tensor<f32>) -> tensor<19xf32>
    %11 = stablehlo.convolution(%l, %m) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x9x8xf32>, tensor<1x3x8x16xf32>) -> tensor<1x1x9x16xf32>
    %12 = stablehlo.subtract %t, %11 : tensor<1x1x9x16xf32>
    return %3, %8, %9, %10, %12 : tensor<1x6x7x19xf32>, tensor<1x6x7x19xf32>, tensor<1x6x7x19xf32>, tensor<19xf32>, tensor<1x1x9x16xf32>
  }
}
