func.func public @main(%x: tensor<5x33xf32>) -> (tensor<5x33x!quant.uniform<i8:f32, 0.05:-3>>, tensor<5x33x!quant.uniform<u8:f32, 0.031:17>>, tensor<5x33x!quant.uniform<i8<-127:127>:f32, 0.125>>, tensor<5x33x!quant.uniform<u4:f32, 0.5:15>>, tensor<5x33x!quant.uniform<i16:f32, 0.002:-32768>>, tensor<5x33x!quant.uniform<i32:f32, 1.0e-7:12345>>, tensor<5x33x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-7, 0.1, 1.5:127, 7.0:-128}>>, tensor<5x33x!quant.uniform<u8<2:250>:f32, 0.031:17>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<5x33xf32>) -> tensor<5x33x!quant.uniform<i8:f32, 0.05:-3>>
  %1 = stablehlo.uniform_quantize %x : (tensor<5x33xf32>) -> tensor<5x33x!quant.uniform<u8:f32, 0.031:17>>
  %2 = stablehlo.uniform_quantize %x : (tensor<5x33xf32>) -> tensor<5x33x!quant.uniform<i8<-127:127>:f32, 0.125>>
  %3 = stablehlo.uniform_quantize %x : (tensor<5x33xf32>) -> tensor<5x33x!quant.uniform<u4:f32, 0.5:15>>
  %4 = stablehlo.uniform_quantize %x : (tensor<5x33xf32>) -> tensor<5x33x!quant.uniform<i16:f32, 0.002:-32768>>
  %5 = stablehlo.uniform_quantize %x : (tensor<5x33xf32>) -> tensor<5x33x!quant.uniform<i32:f32, 1.0e-7:12345>>
  %6 = stablehlo.uniform_quantize %x : (tensor<5x33xf32>) -> tensor<5x33x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-7, 0.1, 1.5:127, 7.0:-128}>>
  %7 = stablehlo.uniform_quantize %x : (tensor<5x33xf32>) -> tensor<5x33x!quant.uniform<u8<2:250>:f32, 0.031:17>>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<5x33x!quant.uniform<i8:f32, 0.05:-3>>, tensor<5x33x!quant.uniform<u8:f32, 0.031:17>>, tensor<5x33x!quant.uniform<i8<-127:127>:f32, 0.125>>, tensor<5x33x!quant.uniform<u4:f32, 0.5:15>>, tensor<5x33x!quant.uniform<i16:f32, 0.002:-32768>>, tensor<5x33x!quant.uniform<i32:f32, 1.0e-7:12345>>, tensor<5x33x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-7, 0.1, 1.5:127, 7.0:-128}>>, tensor<5x33x!quant.uniform<u8<2:250>:f32, 0.031:17>>
}
