func.func @main(%a: tensor<3xf32>) -> tensor<3x!quant.uniform<u8:f32, 0.5:-1>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<u8:f32, 0.5:-1>>
  return %0 : tensor<3x!quant.uniform<u8:f32, 0.5:-1>>
}
