// plain
// absolute: 1e-4
func.func public @main(%x: tensor<2x3x5xf32>, %y: tensor<2x5x7xf32>) -> tensor<2x3x7xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x5xf32>, tensor<2x5x7xf32>) -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
}
