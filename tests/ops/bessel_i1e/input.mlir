// ulp: 1
func.func public @main(%x: tensor<19xf32>) -> tensor<19xf32> {
  %0 = chlo.bessel_i1e %x : tensor<19xf32> -> tensor<19xf32>
  return %0 : tensor<19xf32>
}
