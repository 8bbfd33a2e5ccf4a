func.func public @main(%x0: tensor<37x!quant.uniform<i8:f32, 0.05:-3>>, %x1: tensor<5x3x!quant.uniform<u8:f32, 0.031:17>>, %x2: tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.125>>, %x3: tensor<!quant.uniform<i32:f32, 0.00017:-5>>, %x4: tensor<0x3x!quant.uniform<i4:f16, 0.5:1>>, %x5: tensor<17x!quant.uniform<i4:f16, 0.5:1>>) -> (tensor<37x!quant.uniform<i8:f32, 0.04:7>>, tensor<5x3x!quant.uniform<u8:f32, 0.05:128>>, tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.25:4>>, tensor<!quant.uniform<i32:f32, 0.00017:-5>>, tensor<0x3x!quant.uniform<i4:f16, 0.5:1>>, tensor<17x!quant.uniform<i4:f16, 0.25:-8>>) {
  %0 = "stablehlo.log_plus_one"(%x0) : (tensor<37x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<37x!quant.uniform<i8:f32, 0.04:7>>
  %1 = "stablehlo.log_plus_one"(%x1) : (tensor<5x3x!quant.uniform<u8:f32, 0.031:17>>) -> tensor<5x3x!quant.uniform<u8:f32, 0.05:128>>
  %2 = "stablehlo.log_plus_one"(%x2) : (tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.125>>) -> tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.25:4>>
  %3 = "stablehlo.log_plus_one"(%x3) : (tensor<!quant.uniform<i32:f32, 0.00017:-5>>) -> tensor<!quant.uniform<i32:f32, 0.00017:-5>>
  %4 = "stablehlo.log_plus_one"(%x4) : (tensor<0x3x!quant.uniform<i4:f16, 0.5:1>>) -> tensor<0x3x!quant.uniform<i4:f16, 0.5:1>>
  %5 = "stablehlo.log_plus_one"(%x5) : (tensor<17x!quant.uniform<i4:f16, 0.5:1>>) -> tensor<17x!quant.uniform<i4:f16, 0.25:-8>>
  return %0, %1, %2, %3, %4, %5 : tensor<37x!quant.uniform<i8:f32, 0.04:7>>, tensor<5x3x!quant.uniform<u8:f32, 0.05:128>>, tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.25:4>>, tensor<!quant.uniform<i32:f32, 0.00017:-5>>, tensor<0x3x!quant.uniform<i4:f16, 0.5:1>>, tensor<17x!quant.uniform<i4:f16, 0.25:-8>>
}
