func.func public @main(%x: tensor<4x8xf32>) -> tensor<3x10xf32> {
  %0 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<3x10xf32>
  return %0 : tensor<3x10xf32>
}
