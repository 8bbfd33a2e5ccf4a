// uniform: 1
func.func public @main(%x: tensor<3x!quant.uniform<u8:f32, 0.5:3>>) -> (tensor<3x!quant.uniform<u8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.05:-3>>, tensor<3x!quant.uniform<u8:f32, 0.5:3>>) {
  %0 = stablehlo.constant() <{value = dense<[0, 128, 255]> : tensor<3xi8>}> : () -> tensor<3x!quant.uniform<u8:f32, 0.5:3>>
  %1 = stablehlo.constant() <{value = dense<-3> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.05:-3>>
  %2 = stablehlo.add %0, %x : tensor<3x!quant.uniform<u8:f32, 0.5:3>>
  return %0, %1, %2 : tensor<3x!quant.uniform<u8:f32, 0.5:3>>, tensor<2x!quant.uniform<i8:f32, 0.05:-3>>, tensor<3x!quant.uniform<u8:f32, 0.5:3>>
}
