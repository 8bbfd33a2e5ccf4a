// uniform: 0
func.func public @main(%x0_0: tensor<i4>, %x1_0: tensor<3xf8E5M2>) -> (tensor<3x1xi4>, tensor<0x3xf8E5M2>) {
  %r0 = stablehlo.broadcast %x0_0, sizes = [3, 1] : (tensor<i4>) -> tensor<3x1xi4>
  %r1 = stablehlo.broadcast %x1_0, sizes = [0] : (tensor<3xf8E5M2>) -> tensor<0x3xf8E5M2>
  return %r0, %r1 : tensor<3x1xi4>, tensor<0x3xf8E5M2>
}
