func.func public @main(%x: tensor<2x1xi16>, %y: tensor<3xi16>) -> tensor<2x3xi16> {
  %0 = chlo.broadcast_divide %x, %y : (tensor<2x1xi16>, tensor<3xi16>) -> tensor<2x3xi16>
  return %0 : tensor<2x3xi16>
}
