func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32:2, {0.5, 0.25, 0.5}>>) -> tensor<2x3x!quant.uniform<i8:f32:2, {0.5, 0.25, 0.5}>> {
  %0 = stablehlo.add %a, %a : tensor<2x3x!quant.uniform<i8:f32:2, {0.5, 0.25, 0.5}>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32:2, {0.5, 0.25, 0.5}>>
}
