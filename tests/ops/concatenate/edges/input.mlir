func.func public @main(%x0_0: tensor<3x1xi4>, %x0_1: tensor<3x0xi4>, %x0_2: tensor<3x5xi4>, %x1_0: tensor<0x3xf8E5M2>, %x1_1: tensor<0x3xf8E5M2>) -> (tensor<3x6xi4>, tensor<0x3xf8E5M2>) {
  %r0 = stablehlo.concatenate %x0_0, %x0_1, %x0_2, dim = 1 : (tensor<3x1xi4>, tensor<3x0xi4>, tensor<3x5xi4>) -> tensor<3x6xi4>
  %r1 = stablehlo.concatenate %x1_0, %x1_1, dim = 0 : (tensor<0x3xf8E5M2>, tensor<0x3xf8E5M2>) -> tensor<0x3xf8E5M2>
  return %r0, %r1 : tensor<3x6xi4>, tensor<0x3xf8E5M2>
}
