// ulp: 2
func.func public @main(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = stablehlo.exponential %x : tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}
