func.func public @main(%x: tensor<11xf32>) -> tensor<11xf32> {
  %0 = stablehlo.reduce_precision %x, format = e5m3 : tensor<11xf32>
  return %0 : tensor<11xf32>
}
