func.func public @main(%x: tensor<5x33x!quant.uniform<i8:f32, 0.05:-3>>, %y: tensor<33x7x!quant.uniform<i8:f32, 0.02>>) -> (tensor<5x7x!quant.uniform<i8:f32, 0.2:1>>) {
  %0 = stablehlo.dot %x, %y : (tensor<5x33x!quant.uniform<i8:f32, 0.05:-3>>, tensor<33x7x!quant.uniform<i8:f32, 0.02>>) -> tensor<5x7x!quant.uniform<i8:f32, 0.2:1>>
  return %0 : tensor<5x7x!quant.uniform<i8:f32, 0.2:1>>
}
