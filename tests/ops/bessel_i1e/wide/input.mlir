// ulp: 4
// plain
func.func public @main(%x: tensor<7xf64>) -> tensor<7xf64> {
  %0 = chlo.bessel_i1e %x : tensor<7xf64> -> tensor<7xf64>
  return %0 : tensor<7xf64>
}
