func.func @main(%a: tensor<2x3x!quant.uniform<i4:f32, 0.5:8>>) -> tensor<2x3x!quant.uniform<i4:f32, 0.5:8>> {
  return %a : tensor<2x3x!quant.uniform<i4:f32, 0.5:8>>
}
