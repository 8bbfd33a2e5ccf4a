// expect: schedule "transpose 8"
// expect: schedule "registers 4x24 transposed"
// plain
// absolute: 1e-4
func.func public @main(%v: tensor<23x2x16xf32>, %p: tensor<2x4x23x23xf32>) -> tensor<23x2x4x16xf32> {
  // Heads in groups, as in attention: dimensions expanded from one result dimension are transposed at once.
  %0 = stablehlo.dot_general %v, %p, batching_dims = [1] x [0], contracting_dims = [0] x [3]
    : (tensor<23x2x16xf32>, tensor<2x4x23x23xf32>) -> tensor<2x16x4x23xf32>
  %1 = stablehlo.transpose %0, dims = [3, 0, 2, 1] : (tensor<2x16x4x23xf32>) -> tensor<23x2x4x16xf32>
  return %1 : tensor<23x2x4x16xf32>
}
