// plain
// absolute: 1e-4
func.func public @main(%x: tensor<5x3xf32>, %y: tensor<7x5xf32>) -> tensor<3x7xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<5x3xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}
