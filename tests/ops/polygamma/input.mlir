// ulp: 2
// plain
func.func public @main(%x: tensor<19xf32>, %y: tensor<19xf32>) -> tensor<19xf32> {
  %0 = chlo.polygamma %x, %y : tensor<19xf32>, tensor<19xf32> -> tensor<19xf32>
  return %0 : tensor<19xf32>
}
