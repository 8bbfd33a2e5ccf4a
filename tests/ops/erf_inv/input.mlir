// ulp: 3
func.func public @main(%x: tensor<19xf32>) -> tensor<19xf32> {
  %0 = chlo.erf_inv %x : tensor<19xf32> -> tensor<19xf32>
  return %0 : tensor<19xf32>
}
