func.func public @main(%x: tensor<f32>, %y: tensor<0x3xf32>) -> (tensor<!quant.uniform<i8:f32, 0.05:-3>>, tensor<0x3x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.05:-3>>
  %1 = stablehlo.uniform_quantize %y : (tensor<0x3xf32>) -> tensor<0x3x!quant.uniform<i8:f32, 0.05:-3>>
  return %0, %1 : tensor<!quant.uniform<i8:f32, 0.05:-3>>, tensor<0x3x!quant.uniform<i8:f32, 0.05:-3>>
}
