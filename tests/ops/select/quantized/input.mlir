func.func public @main(%p: tensor<37xi1>, %x: tensor<37x!quant.uniform<i8:f32, 0.05:-3>>, %y: tensor<37x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<37x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = stablehlo.select %p, %x, %y : tensor<37xi1>, tensor<37x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<37x!quant.uniform<i8:f32, 0.05:-3>>
}
