// plain
// absolute: 1e-4
func.func public @main(%x: tensor<3x37xf32>, %w: tensor<21x37xf32>, %a: tensor<2x33x9xf32>, %b: tensor<2x19x33xf32>) -> (tensor<3x21xf32>, tensor<2x9x19xf32>) {
  %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<21x37xf32>) -> tensor<37x21xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<3x37xf32>, tensor<37x21xf32>) -> tensor<3x21xf32>
  %2 = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<2x33x9xf32>) -> tensor<2x9x33xf32>
  %3 = stablehlo.transpose %b, dims = [0, 2, 1] : (tensor<2x19x33xf32>) -> tensor<2x33x19xf32>
  %4 = stablehlo.dot_general %2, %3, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x9x33xf32>, tensor<2x33x19xf32>) -> tensor<2x9x19xf32>
  return %1, %4 : tensor<3x21xf32>, tensor<2x9x19xf32>
}
