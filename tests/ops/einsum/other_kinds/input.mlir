// plain
// absolute: 1e-4
module {
  // Results that cannot hold what the operands do: sums are in the operands' type, and converted.
  func.func public @main(%x: tensor<4x5xf32>, %w: tensor<5x3xf32>, %c: tensor<4x5xcomplex<f32>>, %d: tensor<5x3xcomplex<f32>>) -> (tensor<4x3xi32>, tensor<3x4xf32>) {
    %0 = "stablehlo.einsum"(%x, %w) <{einsum_config = "ab,bc->ac"}> : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xi32>
    %1 = "stablehlo.einsum"(%c, %d) <{einsum_config = "ab,bc->ca"}> : (tensor<4x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>) -> tensor<3x4xf32>
    return %0, %1 : tensor<4x3xi32>, tensor<3x4xf32>
  }
}
