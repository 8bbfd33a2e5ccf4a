// ulp: 2
func.func public @main(%x: tensor<19xf32>) -> tensor<19xf32> {
  %0 = stablehlo.sine %x : tensor<19xf32>
  return %0 : tensor<19xf32>
}
