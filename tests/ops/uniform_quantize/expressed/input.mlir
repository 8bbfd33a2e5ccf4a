func.func public @main(%x0: tensor<41xf16>, %x1: tensor<41xbf16>, %x2: tensor<41xf64>, %x3: tensor<41xf16>, %x4: tensor<41xbf16>) -> (tensor<41x!quant.uniform<i8:f16, 0.05:-3>>, tensor<41x!quant.uniform<u8:bf16, 0.031:17>>, tensor<41x!quant.uniform<i32:f64, 1.0e-7:12345>>, tensor<41x!quant.uniform<i16:f16, 0.5:-9>>, tensor<41x!quant.uniform<i32:bf16, 0.01>>) {
  %0 = stablehlo.uniform_quantize %x0 : (tensor<41xf16>) -> tensor<41x!quant.uniform<i8:f16, 0.05:-3>>
  %1 = stablehlo.uniform_quantize %x1 : (tensor<41xbf16>) -> tensor<41x!quant.uniform<u8:bf16, 0.031:17>>
  %2 = stablehlo.uniform_quantize %x2 : (tensor<41xf64>) -> tensor<41x!quant.uniform<i32:f64, 1.0e-7:12345>>
  %3 = stablehlo.uniform_quantize %x3 : (tensor<41xf16>) -> tensor<41x!quant.uniform<i16:f16, 0.5:-9>>
  %4 = stablehlo.uniform_quantize %x4 : (tensor<41xbf16>) -> tensor<41x!quant.uniform<i32:bf16, 0.01>>
  return %0, %1, %2, %3, %4 : tensor<41x!quant.uniform<i8:f16, 0.05:-3>>, tensor<41x!quant.uniform<u8:bf16, 0.031:17>>, tensor<41x!quant.uniform<i32:f64, 1.0e-7:12345>>, tensor<41x!quant.uniform<i16:f16, 0.5:-9>>, tensor<41x!quant.uniform<i32:bf16, 0.01>>
}
