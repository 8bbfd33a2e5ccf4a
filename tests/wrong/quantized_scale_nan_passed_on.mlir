func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0x7FF8000000000000>>) -> tensor<2x3x!quant.uniform<i8:f32, 0x7FF8000000000000>> {
  return %a : tensor<2x3x!quant.uniform<i8:f32, 0x7FF8000000000000>>
}
