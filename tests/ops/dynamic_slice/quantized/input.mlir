func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, %i: tensor<i32>) -> (tensor<4x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, tensor<i32>) -> tensor<4x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.05:-3>>
}
