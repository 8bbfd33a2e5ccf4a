func.func public @main(%c: tensor<i1>, %x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, %y: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.if"(%c) ({
    %1 = stablehlo.multiply %x, %y : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
    stablehlo.return %1 : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
  }, {
    stablehlo.return %y : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
  }) : (tensor<i1>) -> tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
}
