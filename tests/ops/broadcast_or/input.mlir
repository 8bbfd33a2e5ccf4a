func.func public @main(%x: tensor<2x1xi1>, %y: tensor<3xi1>) -> tensor<2x3xi1> {
  %0 = chlo.broadcast_or %x, %y : (tensor<2x1xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}
