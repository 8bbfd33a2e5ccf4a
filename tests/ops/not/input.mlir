func.func public @main(%x: tensor<3xi16>) -> tensor<3xi16> {
  %0 = stablehlo.not %x : tensor<3xi16>
  return %0 : tensor<3xi16>
}
