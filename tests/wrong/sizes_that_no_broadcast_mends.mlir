func.func public @main(%x: tensor<4x8xf32>, %b: tensor<4x6xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.add %x, %b : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
