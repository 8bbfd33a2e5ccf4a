func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:128>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:128>> {
  %0 = stablehlo.add %a, %a : tensor<2x3x!quant.uniform<i8:f32, 0.5:128>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 0.5:128>>
}
