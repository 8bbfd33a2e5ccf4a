// plain
func.func public @main(%x: tensor<2x1xf16>, %y: tensor<3xf16>) -> tensor<2x3xf16> {
  %0 = chlo.broadcast_maximum %x, %y : (tensor<2x1xf16>, tensor<3xf16>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}
