// range: -3 200
func.func public @main(%x: tensor<4x3x5xf32>, %i: tensor<2xi32>, %j: tensor<1x1x1xui8>, %k: tensor<i64>) -> (tensor<2x5xf32>, tensor<1x4x2x1x5xf32>, tensor<4x3x3xf32>, tensor<3x5xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 2, 5>}> : (tensor<4x3x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  %1 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 4], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 4, 2, 5>}> : (tensor<4x3x5xf32>, tensor<1x1x1xui8>) -> tensor<1x4x2x1x5xf32>
  %2 = "stablehlo.gather"(%x, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], start_index_map = [2], index_vector_dim = 0>, slice_sizes = array<i64: 4, 3, 3>}> : (tensor<4x3x5xf32>, tensor<i64>) -> tensor<4x3x3xf32>
  %last = stablehlo.constant dense<7> : tensor<1xi32>
  %3 = "stablehlo.gather"(%x, %last) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 3, 5>}> : (tensor<4x3x5xf32>, tensor<1xi32>) -> tensor<3x5xf32>
  return %0, %1, %2, %3 : tensor<2x5xf32>, tensor<1x4x2x1x5xf32>, tensor<4x3x3xf32>, tensor<3x5xf32>
}
