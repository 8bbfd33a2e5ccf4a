func.func public @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.sign %x : tensor<3xi32>
  return %0 : tensor<3xi32>
}
