func.func public @main(%x: tensor<4,8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
