func.func @main(%a: tensor<3x!quant.uniform<i8:f32, 0x7FF8000000000000>>) -> tensor<3xf32> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<3x!quant.uniform<i8:f32, 0x7FF8000000000000>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
