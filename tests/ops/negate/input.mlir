func.func public @main(%x: tensor<19xf32>) -> tensor<19xf32> {
  %0 = stablehlo.negate %x : tensor<19xf32>
  return %0 : tensor<19xf32>
}
