// uniform: 0
// ulp: 1
// plain
func.func public @main(%x: tensor<5x1xf32>, %y: tensor<3xf32>) -> tensor<5x3xf32> {
  %0 = chlo.broadcast_zeta %x, %y : (tensor<5x1xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
