// uniform: 0
// ulp: 2
// plain
func.func public @main(%x: tensor<5x1xf32>, %y: tensor<3xf32>) -> tensor<5x3xf32> {
  %0 = chlo.broadcast_polygamma %x, %y : (tensor<5x1xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
