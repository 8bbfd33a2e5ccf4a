func.func public @main(%x0_0: tensor<i4>, %x1_0: tensor<0xf8E4M3FN>) -> (tensor<f8E5M2>, tensor<0xui2>) {
  %r0 = stablehlo.convert %x0_0 : (tensor<i4>) -> tensor<f8E5M2>
  %r1 = stablehlo.convert %x1_0 : (tensor<0xf8E4M3FN>) -> tensor<0xui2>
  return %r0, %r1 : tensor<f8E5M2>, tensor<0xui2>
}
