func.func public @main(%x0: tensor<37x!quant.uniform<i8:f32, 0.05:-3>>, %x1: tensor<5x3x!quant.uniform<u8:f32, 0.031:17>>, %x2: tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.125>>) -> (tensor<37x!quant.uniform<i8:f32, 0.04:7>>, tensor<5x3x!quant.uniform<u8:f32, 0.05:128>>, tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.25:4>>) {
  %0 = "stablehlo.reduce_precision"(%x0) <{exponent_bits = 5 : i32, mantissa_bits = 3 : i32}> : (tensor<37x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<37x!quant.uniform<i8:f32, 0.04:7>>
  %1 = "stablehlo.reduce_precision"(%x1) <{exponent_bits = 5 : i32, mantissa_bits = 3 : i32}> : (tensor<5x3x!quant.uniform<u8:f32, 0.031:17>>) -> tensor<5x3x!quant.uniform<u8:f32, 0.05:128>>
  %2 = "stablehlo.reduce_precision"(%x2) <{exponent_bits = 5 : i32, mantissa_bits = 3 : i32}> : (tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.125>>) -> tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.25:4>>
  return %0, %1, %2 : tensor<37x!quant.uniform<i8:f32, 0.04:7>>, tensor<5x3x!quant.uniform<u8:f32, 0.05:128>>, tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.25:4>>
}
