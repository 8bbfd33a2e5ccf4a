// expect: schedule "rows 8"
// plain
// absolute: 1e-4
func.func public @main(%x: tensor<2x3x201xf32>, %w: tensor<2x71x201xf32>, %b: tensor<71xf32>) -> tensor<2x3x71xf32> {
  // Rows of w are longer than L1 in all; the loop over those of x is inside.
  %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x201xf32>, tensor<2x71x201xf32>) -> tensor<2x3x71xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<71xf32>) -> tensor<2x3x71xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x3x71xf32>
  return %2 : tensor<2x3x71xf32>
}
