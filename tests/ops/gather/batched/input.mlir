// range: -2 5
func.func public @main(%x: tensor<2x4x5xi32>, %at: tensor<3x2x1xi32>) -> tensor<3x2x3xi32> {
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
    collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1],
    start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}>
    : (tensor<2x4x5xi32>, tensor<3x2x1xi32>) -> tensor<3x2x3xi32>
  return %0 : tensor<3x2x3xi32>
}
