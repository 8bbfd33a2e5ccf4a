func.func @main(%a: tensor<4x!quant.uniform<si8:f32, 0.5>>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<si8:f32, 0.5>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
