func.func public @main(%x0_0: tensor<i1>, %x0_1: tensor<i4>, %x0_2: tensor<5xi4>, %x1_0: tensor<3xi1>, %x1_1: tensor<0x1xf16>, %x1_2: tensor<f16>) -> (tensor<5xi4>, tensor<0x3xf16>) {
  %r0 = chlo.broadcast_select %x0_0, %x0_1, %x0_2 : (tensor<i1>, tensor<i4>, tensor<5xi4>) -> tensor<5xi4>
  %r1 = chlo.broadcast_select %x1_0, %x1_1, %x1_2 : (tensor<3xi1>, tensor<0x1xf16>, tensor<f16>) -> tensor<0x3xf16>
  return %r0, %r1 : tensor<5xi4>, tensor<0x3xf16>
}
