func.func public @main(%x: tensor<2x1xui8>, %y: tensor<3xui8>) -> tensor<2x3xui8> {
  %0 = chlo.broadcast_and %x, %y : (tensor<2x1xui8>, tensor<3xui8>) -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}
