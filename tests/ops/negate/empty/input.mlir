func.func public @main(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %0 = stablehlo.negate %x : tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}
