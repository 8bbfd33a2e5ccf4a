// absolute: 1e-4
// plain
func.func public @main(%x: tensor<2x3x5xf32>, %y: tensor<2x5x4xf32>) -> (tensor<2x3x4xf32>) {
  %0 = "stablehlo.einsum"(%x, %y) {einsum_config = "ijk,ikm->ijm"} : (tensor<2x3x5xf32>, tensor<2x5x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
