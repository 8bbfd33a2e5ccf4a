func.func public @main(%x: tensor<61xf8E5M2>, %y: tensor<61xf8E5M2>) -> tensor<61xf8E5M2> {
  %0 = stablehlo.multiply %x, %y : tensor<61xf8E5M2>
  return %0 : tensor<61xf8E5M2>
}
