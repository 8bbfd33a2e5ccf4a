func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<11xui8>, tensor<11x!quant.uniform<u8:f32, 0.031:17>>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<11xui8>
  %1 = stablehlo.bitcast_convert %0 : (tensor<11xui8>) -> tensor<11x!quant.uniform<u8:f32, 0.031:17>>
  return %0, %1 : tensor<11xui8>, tensor<11x!quant.uniform<u8:f32, 0.031:17>>
}
