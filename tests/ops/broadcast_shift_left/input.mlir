// uniform: 0
func.func public @main(%x: tensor<2x1xi8>, %y: tensor<3xi8>) -> tensor<2x3xi8> {
  %0 = chlo.broadcast_shift_left %x, %y : (tensor<2x1xi8>, tensor<3xi8>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}
