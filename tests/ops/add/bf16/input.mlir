func.func public @main(%x: tensor<9xbf16>, %y: tensor<9xbf16>) -> tensor<9xbf16> {
  %0 = stablehlo.add %x, %y : tensor<9xbf16>
  return %0 : tensor<9xbf16>
}
