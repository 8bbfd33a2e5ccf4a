func.func @main(%a: tensor<2x3x!quant.uniform<i8:tf32, 0.5>>) -> tensor<2x3x!quant.uniform<i8:tf32, 0.5>> {
  %0 = stablehlo.abs %a : tensor<2x3x!quant.uniform<i8:tf32, 0.5>>
  return %0 : tensor<2x3x!quant.uniform<i8:tf32, 0.5>>
}
