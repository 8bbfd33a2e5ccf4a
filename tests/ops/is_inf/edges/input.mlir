// uniform: 3
func.func public @main(%x0: tensor<f32>, %x1: tensor<0x3xf32>, %x2: tensor<5xbf16>, %x3: tensor<7xf8E4M3FN>) -> (tensor<i1>, tensor<0x3xi1>, tensor<5xi1>, tensor<7xi1>) {
  %0 = chlo.is_inf %x0 : tensor<f32> -> tensor<i1>
  %1 = chlo.is_inf %x1 : tensor<0x3xf32> -> tensor<0x3xi1>
  %2 = chlo.is_inf %x2 : tensor<5xbf16> -> tensor<5xi1>
  %3 = chlo.is_inf %x3 : tensor<7xf8E4M3FN> -> tensor<7xi1>
  return %0, %1, %2, %3 : tensor<i1>, tensor<0x3xi1>, tensor<5xi1>, tensor<7xi1>
}
