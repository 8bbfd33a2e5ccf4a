func.func public @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %sum = stablehlo.add %x, %y : tensor<4x8xf32>
  return %sums : tensor<4x8xf32>
}
