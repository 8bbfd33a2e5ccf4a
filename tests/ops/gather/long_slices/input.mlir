// range: -3 9

// Slices of several elements along the indexed dimensions, whose starts are moved so far that they fit.
func.func public @main(%x: tensor<7x5xi32>, %i: tensor<6x4x2xi32>, %u: tensor<9xui8>, %f: tensor<7x5x3xf32>)
    -> (tensor<6x4x3x2xi32>, tensor<6x5x4xi32>, tensor<9x4xi32>, tensor<9x4x2xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], start_index_map = [0, 1], index_vector_dim = 2>,
    slice_sizes = array<i64: 3, 2>
  }> : (tensor<7x5xi32>, tensor<6x4x2xi32>) -> tensor<6x4x3x2xi32>
  // Components in the other order, and five of seven rows.
  %1 = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1, 0], index_vector_dim = 2>,
    slice_sizes = array<i64: 5, 1>
  }> : (tensor<7x5xi32>, tensor<6x4x2xi32>) -> tensor<6x5x4xi32>
  %2 = "stablehlo.gather"(%x, %u) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 4, 1>
  }> : (tensor<7x5xi32>, tensor<9xui8>) -> tensor<9x4xi32>
  %3 = "stablehlo.gather"(%f, %u) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 4, 2>
  }> : (tensor<7x5x3xf32>, tensor<9xui8>) -> tensor<9x4x2xf32>
  return %0, %1, %2, %3 : tensor<6x4x3x2xi32>, tensor<6x5x4xi32>, tensor<9x4xi32>, tensor<9x4x2xf32>
}
