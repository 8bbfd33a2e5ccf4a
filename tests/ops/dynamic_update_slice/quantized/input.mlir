func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, %u: tensor<5x!quant.uniform<i8:f32, 0.05:-3>>, %i: tensor<i32>) -> (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, tensor<5x!quant.uniform<i8:f32, 0.05:-3>>, tensor<i32>) -> tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
}
