func.func public @main(%x: tensor<3xi16>) -> tensor<2x1x3xi16> {
  %0 = stablehlo.broadcast %x, sizes = [2, 1] : (tensor<3xi16>) -> tensor<2x1x3xi16>
  return %0 : tensor<2x1x3xi16>
}
