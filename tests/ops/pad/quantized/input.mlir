func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, %p: tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<22x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = stablehlo.pad %x, %p, low = [2], high = [-1], interior = [1] : (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<22x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<22x!quant.uniform<i8:f32, 0.05:-3>>
}
