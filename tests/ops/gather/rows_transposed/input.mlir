// plain
func.func public @main(%x: tensor<40x24xf32>, %i: tensor<24x1xi32>, %y: tensor<24x24xf32>) -> tensor<24x24xf32> {
  // Rows that are read as columns.
  %g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 24>}> : (tensor<40x24xf32>, tensor<24x1xi32>) -> tensor<24x24xf32>
  %t = stablehlo.transpose %g, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
  %r = stablehlo.multiply %t, %y : tensor<24x24xf32>
  return %r : tensor<24x24xf32>
}
