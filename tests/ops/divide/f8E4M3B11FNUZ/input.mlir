func.func public @main(%x: tensor<61xf8E4M3B11FNUZ>, %y: tensor<61xf8E4M3B11FNUZ>) -> tensor<61xf8E4M3B11FNUZ> {
  %0 = stablehlo.divide %x, %y : tensor<61xf8E4M3B11FNUZ>
  return %0 : tensor<61xf8E4M3B11FNUZ>
}
