func.func public @main(%x: tensor<61xf8E3M4>) -> tensor<61xf8E3M4> {
  %0 = stablehlo.exponential %x : tensor<61xf8E3M4>
  return %0 : tensor<61xf8E3M4>
}
