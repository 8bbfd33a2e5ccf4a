func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, %y: tensor<5x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<16x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, tensor<5x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<16x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<16x!quant.uniform<i8:f32, 0.05:-3>>
}
