func.func public @main(%x0_0: tensor<i8>, %x1_0: tensor<3x5xui2>, %x2_0: tensor<0x3xf16>) -> (tensor<i8>, tensor<3x5xui2>, tensor<0x3xf16>) {
  %r0 = stablehlo.reverse %x0_0, dims = [] : tensor<i8>
  %r1 = stablehlo.reverse %x1_0, dims = [1, 0] : tensor<3x5xui2>
  %r2 = stablehlo.reverse %x2_0, dims = [0] : tensor<0x3xf16>
  return %r0, %r1, %r2 : tensor<i8>, tensor<3x5xui2>, tensor<0x3xf16>
}
