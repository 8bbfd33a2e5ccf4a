func.func public @main(%p: tensor<i1>, %x: tensor<2x1xi16>, %y: tensor<3xi16>) -> tensor<2x3xi16> {
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<i1>, tensor<2x1xi16>, tensor<3xi16>) -> tensor<2x3xi16>
  return %0 : tensor<2x3xi16>
}
