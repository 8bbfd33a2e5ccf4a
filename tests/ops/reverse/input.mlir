func.func public @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
