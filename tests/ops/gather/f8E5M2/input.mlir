// range: -3 9
func.func public @main(%x: tensor<7x3xf8E5M2>, %i: tensor<5x1xi4>) -> tensor<5x3xf8E5M2> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<7x3xf8E5M2>, tensor<5x1xi4>) -> tensor<5x3xf8E5M2>
  return %0 : tensor<5x3xf8E5M2>
}
