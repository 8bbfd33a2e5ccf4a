func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  retrun %x : tensor<4xf32>
}
