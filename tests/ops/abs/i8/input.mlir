func.func public @main(%x: tensor<3xi8>) -> tensor<3xi8> {
  %0 = stablehlo.abs %x : tensor<3xi8>
  return %0 : tensor<3xi8>
}
