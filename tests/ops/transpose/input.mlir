func.func public @main(%x: tensor<3x5x2xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<3x5x2xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}
