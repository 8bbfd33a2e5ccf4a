func.func public @main(%x0: tensor<5x33x!quant.uniform<i8:f32, 0.05:-3>>, %x1: tensor<5x33x!quant.uniform<u8:f32, 0.031:17>>, %x2: tensor<5x33x!quant.uniform<i8<-127:127>:f32, 0.125>>, %x3: tensor<5x33x!quant.uniform<u4:f32, 0.5:15>>, %x4: tensor<5x33x!quant.uniform<i16:f32, 0.002:-32768>>, %x5: tensor<5x33x!quant.uniform<i32:f32, 1.0e-7:12345>>, %x6: tensor<5x33x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-7, 0.1, 1.5:127, 7.0:-128}>>, %x7: tensor<5x33x!quant.uniform<u8<2:250>:f32, 0.031:17>>, %x8: tensor<5x33x!quant.uniform<i8:bf16, 0.05:-3>>, %x9: tensor<5x33x!quant.uniform<i16:f16, 0.5:-9>>, %x10: tensor<5x33x!quant.uniform<i32:f64, 1.0e-7:12345>>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>, tensor<5x33xf16>, tensor<5x33xf64>) {
  %0 = stablehlo.uniform_dequantize %x0 : (tensor<5x33x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<5x33xf32>
  %1 = stablehlo.uniform_dequantize %x1 : (tensor<5x33x!quant.uniform<u8:f32, 0.031:17>>) -> tensor<5x33xf32>
  %2 = stablehlo.uniform_dequantize %x2 : (tensor<5x33x!quant.uniform<i8<-127:127>:f32, 0.125>>) -> tensor<5x33xf32>
  %3 = stablehlo.uniform_dequantize %x3 : (tensor<5x33x!quant.uniform<u4:f32, 0.5:15>>) -> tensor<5x33xf32>
  %4 = stablehlo.uniform_dequantize %x4 : (tensor<5x33x!quant.uniform<i16:f32, 0.002:-32768>>) -> tensor<5x33xf32>
  %5 = stablehlo.uniform_dequantize %x5 : (tensor<5x33x!quant.uniform<i32:f32, 1.0e-7:12345>>) -> tensor<5x33xf32>
  %6 = stablehlo.uniform_dequantize %x6 : (tensor<5x33x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-7, 0.1, 1.5:127, 7.0:-128}>>) -> tensor<5x33xf32>
  %7 = stablehlo.uniform_dequantize %x7 : (tensor<5x33x!quant.uniform<u8<2:250>:f32, 0.031:17>>) -> tensor<5x33xf32>
  %8 = stablehlo.uniform_dequantize %x8 : (tensor<5x33x!quant.uniform<i8:bf16, 0.05:-3>>) -> tensor<5x33xbf16>
  %9 = stablehlo.uniform_dequantize %x9 : (tensor<5x33x!quant.uniform<i16:f16, 0.5:-9>>) -> tensor<5x33xf16>
  %10 = stablehlo.uniform_dequantize %x10 : (tensor<5x33x!quant.uniform<i32:f64, 1.0e-7:12345>>) -> tensor<5x33xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xbf16>, tensor<5x33xf16>, tensor<5x33xf64>
}
