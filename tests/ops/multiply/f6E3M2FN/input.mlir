func.func public @main(%x: tensor<61xf6E3M2FN>, %y: tensor<61xf6E3M2FN>) -> tensor<61xf6E3M2FN> {
  %0 = stablehlo.multiply %x, %y : tensor<61xf6E3M2FN>
  return %0 : tensor<61xf6E3M2FN>
}
