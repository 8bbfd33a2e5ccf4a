// sizes: x.2=3
// every: x.2=140
// Few rows of few rows, each of which is one of a batch of one where it is reduced.
func.func public @main(%x: tensor<2x4x?xf32> loc("x")) -> (tensor<2x4xf32>, tensor<2x4x?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %ones = stablehlo.constant dense<1.0> : tensor<2x4xf32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 2 : (tensor<2x4x?xf32>) -> tensor<i32>
  %length = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %two, %four, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %0 = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [2] : (tensor<2x4x?xf32>, tensor<f32>) -> tensor<2x4xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<2x4xf32>
  %2 = stablehlo.add %1, %ones : tensor<2x4xf32>
  %3 = stablehlo.rsqrt %2 : tensor<2x4xf32>
  %4 = stablehlo.dynamic_broadcast_in_dim %3, %shape, dims = [0, 1] : (tensor<2x4xf32>, tensor<3xi32>) -> tensor<2x4x?xf32>
  %5 = stablehlo.multiply %x, %4 : tensor<2x4x?xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x4x?xf32>, tensor<f32>) -> tensor<2x4xf32>
  %7 = stablehlo.abs %6 : tensor<2x4xf32>
  %8 = stablehlo.add %7, %ones : tensor<2x4xf32>
  %9 = stablehlo.dynamic_broadcast_in_dim %8, %shape, dims = [0, 1] : (tensor<2x4xf32>, tensor<3xi32>) -> tensor<2x4x?xf32>
  %10 = stablehlo.divide %5, %9 : tensor<2x4x?xf32>
  %11 = stablehlo.reduce(%10 init: %high) applies stablehlo.minimum across dimensions = [2] : (tensor<2x4x?xf32>, tensor<f32>) -> tensor<2x4xf32>
  %12 = stablehlo.dynamic_broadcast_in_dim %11, %shape, dims = [0, 1] : (tensor<2x4xf32>, tensor<3xi32>) -> tensor<2x4x?xf32>
  %13 = stablehlo.subtract %10, %12 : tensor<2x4x?xf32>
  return %6, %13 : tensor<2x4xf32>, tensor<2x4x?xf32>
}
