// plain
func.func public @main(%x: tensor<2x1xf64>, %y: tensor<3xf64>) -> tensor<2x3xf64> {
  %0 = chlo.broadcast_subtract %x, %y : (tensor<2x1xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}
