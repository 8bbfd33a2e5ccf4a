// uniform: 0
func.func public @main(%x0_0: tensor<ui2>, %x1_0: tensor<1x3xbf16>, %x2_0: tensor<1xf64>) -> (tensor<3x5xui2>, tensor<3x5x1xbf16>, tensor<3x0xf64>) {
  %r0 = stablehlo.broadcast_in_dim %x0_0, dims = [] : (tensor<ui2>) -> tensor<3x5xui2>
  %r1 = stablehlo.broadcast_in_dim %x1_0, dims = [1, 0] : (tensor<1x3xbf16>) -> tensor<3x5x1xbf16>
  %r2 = stablehlo.broadcast_in_dim %x2_0, dims = [1] : (tensor<1xf64>) -> tensor<3x0xf64>
  return %r0, %r1, %r2 : tensor<3x5xui2>, tensor<3x5x1xbf16>, tensor<3x0xf64>
}
