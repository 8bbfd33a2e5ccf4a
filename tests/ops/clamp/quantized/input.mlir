func.func public @main(%x: tensor<37x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<37x!quant.uniform<i8:f32, 0.05:-3>> {
  %l = stablehlo.constant() <{value = dense<-40> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.05:-3>>
  %h = stablehlo.constant() <{value = dense<60> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 0.05:-3>>
  %0 = stablehlo.clamp %l, %x, %h : (tensor<!quant.uniform<i8:f32, 0.05:-3>>, tensor<37x!quant.uniform<i8:f32, 0.05:-3>>, tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<37x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<37x!quant.uniform<i8:f32, 0.05:-3>>
}
