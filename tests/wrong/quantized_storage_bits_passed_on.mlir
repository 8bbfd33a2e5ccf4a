func.func @main(%a: tensor<2x3x!quant.uniform<i1:f32, 0.5>>) -> tensor<2x3x!quant.uniform<i1:f32, 0.5>> {
  return %a : tensor<2x3x!quant.uniform<i1:f32, 0.5>>
}
