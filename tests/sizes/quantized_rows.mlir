// sizes: x.0=5
// rows: x.0
// every: x.0=21
// Quantized values of any number of rows: what is computed of elements alone, moves, dots and convolutions, of which integers that a call does
// not have mean zero where rows are summed over.
func.func public @main(%x: tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>> loc("x")) -> (tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>, tensor<?x6x!quant.uniform<u8:f32, 0.02:131>>, tensor<?x6xf32>, tensor<?x3x3x2xf32>, tensor<?x16xf32>) {
  %sum = stablehlo.add %x, %x : tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>
  %d = stablehlo.uniform_dequantize %x : (tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<?x16xf32>
  %f = stablehlo.sine %d : tensor<?x16xf32>
  %v = stablehlo.uniform_quantize %f : (tensor<?x16xf32>) -> tensor<?x16x!quant.uniform<u8:f32, 0.02:131>>
  %q = stablehlo.uniform_quantize %f : (tensor<?x16xf32>) -> tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>
  %both = stablehlo.maximum %sum, %q : tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>
  %w = "stablehlo.constant"() {value = dense<[[89, -98, -65, -14, -97, 75], [-103, -15, -105, -60, 20, 86], [-55, -68, 29, -36, -76, -32], [62, -79, -96, -98, -23, 126], [90, 32, 110, 104, 57, 25], [-1, -36, -4, -87, 25, 125], [47, 101, 19, -91, -68, 86], [-44, 47, -51, 122, 87, -108], [-89, 32, 46, 51, 126, 105], [-93, -81, 10, 114, -95, -97], [30, 100, 17, 69, 49, -117], [108, 53, -42, -69, 124, -98], [-17, 19, -62, -2, 75, 72], [126, -87, -43, 101, 77, 14], [-58, 92, 14, 84, 55, 66], [-10, -51, -86, -38, -51, -10]]> : tensor<16x6xi8>} : () -> tensor<16x6x!quant.uniform<i8<-127:127>:f32:1, {0.0129, 0.0354, 0.0119, 0.0317, 0.0135, 0.0145}>>
  %dot = stablehlo.dot_general %both, %w, contracting_dims = [1] x [0] : (tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>, tensor<16x6x!quant.uniform<i8<-127:127>:f32:1, {0.0129, 0.0354, 0.0119, 0.0317, 0.0135, 0.0145}>>) -> tensor<?x6x!quant.uniform<u8:f32, 0.02:131>>
  %number = stablehlo.uniform_dequantize %dot : (tensor<?x6x!quant.uniform<u8:f32, 0.02:131>>) -> tensor<?x6xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %parts = stablehlo.constant dense<[4, 4, 1]> : tensor<3xi32>
  %images = stablehlo.concatenate %n1, %parts, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
  %image = stablehlo.dynamic_reshape %both, %images : (tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>, tensor<4xi32>) -> tensor<?x4x4x1x!quant.uniform<i8:f32, 0.05:-3>>
  %k = "stablehlo.constant"() {value = dense<[[[[3, -7]], [[100, 1]], [[-128, 9]]], [[[5, 5]], [[-60, 2]], [[127, -1]]], [[[8, 8]], [[-9, 4]], [[0, 77]]]]> : tensor<3x3x1x2xi8>} : () -> tensor<3x3x1x2x!quant.uniform<i8:f32, 0.03>>
  %c = stablehlo.convolution(%image, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 0], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x4x4x1x!quant.uniform<i8:f32, 0.05:-3>>, tensor<3x3x1x2x!quant.uniform<i8:f32, 0.03>>) -> tensor<?x3x3x2x!quant.uniform<i8:f32, 0.5:10>>
  %cf = stablehlo.uniform_dequantize %c : (tensor<?x3x3x2x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<?x3x3x2xf32>
  %back = stablehlo.uniform_dequantize %v : (tensor<?x16x!quant.uniform<u8:f32, 0.02:131>>) -> tensor<?x16xf32>
  return %sum, %dot, %number, %cf, %back : tensor<?x16x!quant.uniform<i8:f32, 0.05:-3>>, tensor<?x6x!quant.uniform<u8:f32, 0.02:131>>, tensor<?x6xf32>, tensor<?x3x3x2xf32>, tensor<?x16xf32>
}
