func.func public @main(%x: tensor<2x1xui16>, %y: tensor<3xui16>) -> tensor<2x3xui16> {
  %0 = chlo.broadcast_xor %x, %y : (tensor<2x1xui16>, tensor<3xui16>) -> tensor<2x3xui16>
  return %0 : tensor<2x3xui16>
}
