// absolute: 1e-5
func.func public @main(%w: tensor<6x5xf32>, %x: tensor<2x6x3x4xf32>, %p: tensor<3x4x2x5xf32>, %q: tensor<5x7x3x4xf32>, %r: tensor<2x3x5x4xf32>, %s: tensor<2x3x4x7x3xf32>)
    -> (tensor<5x2x3x4xf32>, tensor<2x7xf32>, tensor<2x3x5x7x3xf32>, tensor<2x3x4x5xf32>) {
  // Rows and channels follow each other, images are apart.
  %0 = stablehlo.dot_general %w, %x, contracting_dims = [0] x [1] : (tensor<6x5xf32>, tensor<2x6x3x4xf32>) -> tensor<5x2x3x4xf32>
  // Of three contracted dimensions the first two follow each other in both.
  %1 = stablehlo.dot_general %p, %q, contracting_dims = [0, 1, 3] x [2, 3, 0] : (tensor<3x4x2x5xf32>, tensor<5x7x3x4xf32>) -> tensor<2x7xf32>
  // Batch dimensions that follow each other, and free ones.
  %2 = stablehlo.dot_general %r, %s, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x4xf32>, tensor<2x3x4x7x3xf32>) -> tensor<2x3x5x7x3xf32>
  // The dimensions of images first.
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x6x3x4xf32>, tensor<6x5xf32>) -> tensor<2x3x4x5xf32>
  return %0, %1, %2, %3 : tensor<5x2x3x4xf32>, tensor<2x7xf32>, tensor<2x3x5x7x3xf32>, tensor<2x3x4x5xf32>
}
