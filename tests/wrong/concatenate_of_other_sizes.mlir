func.func public @main(%x: tensor<4x8xf32>, %y: tensor<5x7xf32>) -> tensor<9x8xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4x8xf32>, tensor<5x7xf32>) -> tensor<9x8xf32>
  return %0 : tensor<9x8xf32>
}
