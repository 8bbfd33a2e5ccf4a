func.func public @main(%x: tensor<2x5x6xi4>, %y: tensor<2x6x3xi4>) -> (tensor<2x5x3xi32>, tensor<2x5x3xi4>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x5x6xi4>, tensor<2x6x3xi4>) -> tensor<2x5x3xi32>
  %1 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x5x6xi4>, tensor<2x6x3xi4>) -> tensor<2x5x3xi4>
  return %0, %1 : tensor<2x5x3xi32>, tensor<2x5x3xi4>
}
