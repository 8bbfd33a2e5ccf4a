// uniform: 0
func.func public @main(%x0_0: tensor<i4>, %x0_1: tensor<5xi4>, %x1_0: tensor<0x1xf16>, %x1_1: tensor<3xf16>) -> (tensor<5xi1>, tensor<0x3xi1>) {
  %r0 = chlo.broadcast_compare %x0_0, %x0_1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<i4>, tensor<5xi4>) -> tensor<5xi1>
  %r1 = chlo.broadcast_compare %x1_0, %x1_1 {comparison_direction = #chlo<comparison_direction NE>} : (tensor<0x1xf16>, tensor<3xf16>) -> tensor<0x3xi1>
  return %r0, %r1 : tensor<5xi1>, tensor<0x3xi1>
}
