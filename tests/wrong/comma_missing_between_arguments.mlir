func.func public @main(%x: tensor<4xf32> %y: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
