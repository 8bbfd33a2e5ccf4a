func.func @main(%a: tensor<3x!quant.uniform<i8:f32, 0.5>>, %b: tensor<3x!quant.uniform<i16:f32, 0.5>>) -> tensor<3x!quant.uniform<i8:f32, 0.5>> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<3x!quant.uniform<i8:f32, 0.5>>, tensor<3x!quant.uniform<i16:f32, 0.5>>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<3x!quant.uniform<i8:f32, 0.5>>
}
