func.func public @main(%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction GE>} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}
