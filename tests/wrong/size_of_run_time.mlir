func.func public @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = stablehlo.tanh %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
