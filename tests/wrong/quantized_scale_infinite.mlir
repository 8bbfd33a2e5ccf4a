func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0x7FF0000000000000>>) -> tensor<2x3x!quant.uniform<i8:f32, 0x7FF0000000000000>> {
  %0 = stablehlo.add %a, %a : tensor<2x3x!quant.uniform<i8:f32, 0x7FF0000000000000>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 0x7FF0000000000000>>
}
