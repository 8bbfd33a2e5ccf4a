func.func public @main(%x: tensor<4x3x!quant.uniform<i8:f32:1, {0.5:1, 0.25:-7, 0.1}>>) -> (tensor<2x2x3x!quant.uniform<i8:f32:2, {0.5:1, 0.25:-7, 0.1}>>) {
  %0 = stablehlo.reshape %x : (tensor<4x3x!quant.uniform<i8:f32:1, {0.5:1, 0.25:-7, 0.1}>>) -> tensor<2x2x3x!quant.uniform<i8:f32:2, {0.5:1, 0.25:-7, 0.1}>>
  return %0 : tensor<2x2x3x!quant.uniform<i8:f32:2, {0.5:1, 0.25:-7, 0.1}>>
}
