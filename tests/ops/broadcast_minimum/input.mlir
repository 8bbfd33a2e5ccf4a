// plain
func.func public @main(%x: tensor<2x1xbf16>, %y: tensor<3xbf16>) -> tensor<2x3xbf16> {
  %0 = chlo.broadcast_minimum %x, %y : (tensor<2x1xbf16>, tensor<3xbf16>) -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}
