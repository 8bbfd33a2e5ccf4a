func.func public @main(%x: tensor<3x4xf32>) -> tensor<2x6xf32> {
  %0 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
