// plain
// absolute: 1e-3
func.func public @main(%x: tensor<32x24x24xf32>, %y: tensor<24x24x24xf32>) -> tensor<32x24xf32> {
  // What should be the last dimension of an operand is its first one, and the others are summed in another order.
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [2, 1] : (tensor<32x24x24xf32>, tensor<24x24x24xf32>) -> tensor<32x24xf32>
  return %r : tensor<32x24xf32>
}
