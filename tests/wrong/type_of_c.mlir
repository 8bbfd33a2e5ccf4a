func.func public @main(%x: tensor<4xfloat>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
