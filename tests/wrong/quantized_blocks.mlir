func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32:{0:1, 1:3}, {{0.5}, {0.25}}>>) -> tensor<2x3x!quant.uniform<i8:f32:{0:1, 1:3}, {{0.5}, {0.25}}>> {
  %0 = stablehlo.add %a, %a : tensor<2x3x!quant.uniform<i8:f32:{0:1, 1:3}, {{0.5}, {0.25}}>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32:{0:1, 1:3}, {{0.5}, {0.25}}>>
}
