// ulp: 1
func.func public @main(%x: tensor<9xbf16>) -> tensor<9xbf16> {
  %0 = stablehlo.tanh %x : tensor<9xbf16>
  return %0 : tensor<9xbf16>
}
