func.func public @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.tanh %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}
