// plain
func.func public @main(%x: tensor<2x3x5x4xf32>, %g: tensor<2x6x7x2xf32>, %y: tensor<3x4x5xi32>, %i: tensor<7xi32>, %j: tensor<4x7xi32>)
    -> (tensor<2x3x6x7xf32>, tensor<4x7x5xi32>, tensor<7x4x2xi32>, tensor<4x7x5xi32>) {
  // Places that are the same for all features: of elements, of whole rows, by numbers of another dimension. The last ones differ.
  %all = stablehlo.broadcast_in_dim %g, dims = [0, 2, 3, 4] : (tensor<2x6x7x2xf32>) -> tensor<2x3x6x7x2xf32>
  %u = stablehlo.slice %all [0:2, 0:3, 0:6, 0:7, 0:1] : (tensor<2x3x6x7x2xf32>) -> tensor<2x3x6x7x1xf32>
  %v = stablehlo.slice %all [0:2, 0:3, 0:6, 0:7, 1:2] : (tensor<2x3x6x7x2xf32>) -> tensor<2x3x6x7x1xf32>
  %p = stablehlo.floor %u : tensor<2x3x6x7x1xf32>
  %q = stablehlo.floor %v : tensor<2x3x6x7x1xf32>
  %row = stablehlo.convert %p : (tensor<2x3x6x7x1xf32>) -> tensor<2x3x6x7x1xi32>
  %column = stablehlo.convert %q : (tensor<2x3x6x7x1xf32>) -> tensor<2x3x6x7x1xi32>
  %at = stablehlo.concatenate %row, %column, dim = 4 : (tensor<2x3x6x7x1xi32>, tensor<2x3x6x7x1xi32>) -> tensor<2x3x6x7x2xi32>
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2, 3], operand_batching_dims = [0, 1],
    start_indices_batching_dims = [0, 1], start_index_map = [2, 3], index_vector_dim = 4>, slice_sizes = array<i64: 1, 1, 1, 1>}>
    : (tensor<2x3x5x4xf32>, tensor<2x3x6x7x2xi32>) -> tensor<2x3x6x7xf32>
  %rows = stablehlo.broadcast_in_dim %i, dims = [1] : (tensor<7xi32>) -> tensor<4x7x1xi32>
  %1 = "stablehlo.gather"(%y, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [1],
    start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 5>}>
    : (tensor<3x4x5xi32>, tensor<4x7x1xi32>) -> tensor<4x7x5xi32>
  %k = stablehlo.iota dim = 0 : tensor<7x4x1xi32>
  %half = stablehlo.constant dense<2> : tensor<7x4x1xi32>
  %places = stablehlo.divide %k, %half : tensor<7x4x1xi32>
  %2 = "stablehlo.gather"(%y, %places) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [1],
    start_indices_batching_dims = [1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>}>
    : (tensor<3x4x5xi32>, tensor<7x4x1xi32>) -> tensor<7x4x2xi32>
  %others = stablehlo.reshape %j : (tensor<4x7xi32>) -> tensor<4x7x1xi32>
  %3 = "stablehlo.gather"(%y, %others) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [1],
    start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 5>}>
    : (tensor<3x4x5xi32>, tensor<4x7x1xi32>) -> tensor<4x7x5xi32>
  return %0, %1, %2, %3 : tensor<2x3x6x7xf32>, tensor<4x7x5xi32>, tensor<7x4x2xi32>, tensor<4x7x5xi32>
}
