func.func public @main(%x: tensor<37xf6E2M3FN>) -> tensor<37xf6E2M3FN> {
  %0 = stablehlo.negate %x : tensor<37xf6E2M3FN>
  return %0 : tensor<37xf6E2M3FN>
}
