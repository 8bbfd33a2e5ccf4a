// plain
// absolute: 1e-4
func.func public @main(%x: tensor<3x2x5xf32>, %y: tensor<2x5x7xf32>) -> tensor<3x7xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [0, 1] : (tensor<3x2x5xf32>, tensor<2x5x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
