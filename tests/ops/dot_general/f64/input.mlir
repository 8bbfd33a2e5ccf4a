// plain
// absolute: 1e-4
func.func public @main(%x: tensor<5x9xf64>, %y: tensor<9x6xf64>) -> tensor<5x6xf64> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x9xf64>, tensor<9x6xf64>) -> tensor<5x6xf64>
  return %0 : tensor<5x6xf64>
}
