func.func public @main(%x0_0: tensor<i4>, %x0_1: tensor<5xi4>, %x1_0: tensor<0x1xi16>, %x1_1: tensor<3xi16>) -> (tensor<5xi4>, tensor<0x3xi16>) {
  %r0 = chlo.broadcast_shift_right_logical %x0_0, %x0_1 : (tensor<i4>, tensor<5xi4>) -> tensor<5xi4>
  %r1 = chlo.broadcast_shift_right_logical %x1_0, %x1_1 : (tensor<0x1xi16>, tensor<3xi16>) -> tensor<0x3xi16>
  return %r0, %r1 : tensor<5xi4>, tensor<0x3xi16>
}
