// uniform: 0 1 2 5 6
func.func public @main(%x0: tensor<37x!quant.uniform<i8:f32, 0.05:-3>>, %x1: tensor<5x3x!quant.uniform<u8:f32, 0.031:17>>, %x2: tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.125>>, %x3: tensor<!quant.uniform<i32:f32, 0.00017:-5>>, %x4: tensor<0x3x!quant.uniform<i4:f16, 0.5:1>>, %x5: tensor<17x!quant.uniform<i4:f16, 0.5:1>>, %x6: tensor<9x!quant.uniform<i16:f64, 0.002:100>>) -> (tensor<37xi1>, tensor<5x3xi1>, tensor<7xi1>, tensor<i1>, tensor<0x3xi1>, tensor<17xi1>, tensor<9xi1>) {
  %0 = "stablehlo.is_finite"(%x0) : (tensor<37x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<37xi1>
  %1 = "stablehlo.is_finite"(%x1) : (tensor<5x3x!quant.uniform<u8:f32, 0.031:17>>) -> tensor<5x3xi1>
  %2 = "stablehlo.is_finite"(%x2) : (tensor<7x!quant.uniform<i8<-127:127>:bf16, 0.125>>) -> tensor<7xi1>
  %3 = "stablehlo.is_finite"(%x3) : (tensor<!quant.uniform<i32:f32, 0.00017:-5>>) -> tensor<i1>
  %4 = "stablehlo.is_finite"(%x4) : (tensor<0x3x!quant.uniform<i4:f16, 0.5:1>>) -> tensor<0x3xi1>
  %5 = "stablehlo.is_finite"(%x5) : (tensor<17x!quant.uniform<i4:f16, 0.5:1>>) -> tensor<17xi1>
  %6 = "stablehlo.is_finite"(%x6) : (tensor<9x!quant.uniform<i16:f64, 0.002:100>>) -> tensor<9xi1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<37xi1>, tensor<5x3xi1>, tensor<7xi1>, tensor<i1>, tensor<0x3xi1>, tensor<17xi1>, tensor<9xi1>
}
