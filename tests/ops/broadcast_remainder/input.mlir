func.func public @main(%x: tensor<2x1xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_remainder %x, %y : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
