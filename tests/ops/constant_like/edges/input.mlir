func.func public @main(%x0_0: tensor<i4>, %x1_0: tensor<0x3xf16>) -> (tensor<i4>, tensor<0x3xf16>) {
  %r0 = "chlo.constant_like"(%x0_0) <{value = -3 : i4}> : (tensor<i4>) -> tensor<i4>
  %r1 = "chlo.constant_like"(%x1_0) <{value = 1.5 : f16}> : (tensor<0x3xf16>) -> tensor<0x3xf16>
  return %r0, %r1 : tensor<i4>, tensor<0x3xf16>
}
