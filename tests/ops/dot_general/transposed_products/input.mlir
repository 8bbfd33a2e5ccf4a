// plain
// absolute: 1e-4
func.func public @main(%x: tensor<33x19xf32>, %g: tensor<33x21xf32>, %a: tensor<2x17x5x3xf32>, %b: tensor<2x17x1x7xf32>, %p: tensor<9x33xf32>, %q: tensor<33x11xf32>)
    -> (tensor<19x21xf32>, tensor<2x1x7x5x3xf32>, tensor<11x9xf32>, tensor<21x19xf32>, tensor<19x21xf32>) {
  // The gradient of a matrix of weights.
  %0 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0] : (tensor<33x21xf32>, tensor<33x19xf32>) -> tensor<21x19xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<21x19xf32>) -> tensor<19x21xf32>
  // A batch, and several dimensions of either operand.
  %2 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1]
    : (tensor<2x17x5x3xf32>, tensor<2x17x1x7xf32>) -> tensor<2x5x3x1x7xf32>
  %3 = stablehlo.transpose %2, dims = [0, 3, 4, 1, 2] : (tensor<2x5x3x1x7xf32>) -> tensor<2x1x7x5x3xf32>
  // Rows would have to be transposed.
  %4 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<9x33xf32>, tensor<33x11xf32>) -> tensor<9x11xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<9x11xf32>) -> tensor<11x9xf32>
  // The product itself is a result, too.
  %6 = stablehlo.dot_general %g, %x, contracting_dims = [0] x [0], precision = [HIGHEST, DEFAULT]
    : (tensor<33x21xf32>, tensor<33x19xf32>) -> tensor<21x19xf32>
  %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<21x19xf32>) -> tensor<19x21xf32>
  return %1, %3, %5, %6, %7 : tensor<19x21xf32>, tensor<2x1x7x5x3xf32>, tensor<11x9xf32>, tensor<21x19xf32>, tensor<19x21xf32>
}
