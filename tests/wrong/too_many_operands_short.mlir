func.func public @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.add %x, %y, %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
