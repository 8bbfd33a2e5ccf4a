func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = stablehlo.optimization_barrier %x : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
}
