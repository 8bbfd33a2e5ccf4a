func.func public @main(%x: tensor<37xi4>) -> tensor<37xi4> {
  %0 = stablehlo.abs %x : tensor<37xi4>
  return %0 : tensor<37xi4>
}
