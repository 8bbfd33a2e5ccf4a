func.func public @main(%x: tensor<61xf8E5M2>) -> tensor<61xf8E5M2> {
  %0 = stablehlo.reduce_precision %x, format = e4m1 : tensor<61xf8E5M2>
  return %0 : tensor<61xf8E5M2>
}
