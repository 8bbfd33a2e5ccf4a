func.func public @main(%x: tensor<Nonex8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}
