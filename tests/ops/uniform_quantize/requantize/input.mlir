func.func public @main(%x: tensor<21x3x!quant.uniform<i8:f32, 0.05:-3>>, %y: tensor<21x3x!quant.uniform<i8:f32:1, {0.5, 0.01:-128, 2.0:127}>>, %z: tensor<21x3x!quant.uniform<u8:f32, 0.1:131>>) -> (tensor<21x3x!quant.uniform<i8:f32:1, {0.5, 0.01:-128, 2.0:127}>>, tensor<21x3x!quant.uniform<i8:f32, 0.05:-3>>, tensor<21x3x!quant.uniform<i4:f32, 1.5:-2>>, tensor<21x3x!quant.uniform<i32:f32, 0.0001:9>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<21x3x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<21x3x!quant.uniform<i8:f32:1, {0.5, 0.01:-128, 2.0:127}>>
  %1 = stablehlo.uniform_quantize %y : (tensor<21x3x!quant.uniform<i8:f32:1, {0.5, 0.01:-128, 2.0:127}>>) -> tensor<21x3x!quant.uniform<i8:f32, 0.05:-3>>
  %2 = stablehlo.uniform_quantize %z : (tensor<21x3x!quant.uniform<u8:f32, 0.1:131>>) -> tensor<21x3x!quant.uniform<i4:f32, 1.5:-2>>
  %3 = stablehlo.uniform_quantize %y : (tensor<21x3x!quant.uniform<i8:f32:1, {0.5, 0.01:-128, 2.0:127}>>) -> tensor<21x3x!quant.uniform<i32:f32, 0.0001:9>>
  return %0, %1, %2, %3 : tensor<21x3x!quant.uniform<i8:f32:1, {0.5, 0.01:-128, 2.0:127}>>, tensor<21x3x!quant.uniform<i8:f32, 0.05:-3>>, tensor<21x3x!quant.uniform<i4:f32, 1.5:-2>>, tensor<21x3x!quant.uniform<i32:f32, 0.0001:9>>
}
