// range: -3 12
func.func public @main(%x: tensor<4x6xf32>, %none: tensor<0x3xi8>, %i: tensor<2x1xi32>, %y: tensor<2x5xf32>, %z: tensor<2x3xi8>) -> (tensor<2x5xf32>, tensor<2x3xi8>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0, 5>}> : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x5xf32>
  %1 = "stablehlo.gather"(%none, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0, 3>}> : (tensor<0x3xi8>, tensor<2x1xi32>) -> tensor<2x3xi8>
  %2 = stablehlo.add %0, %y : tensor<2x5xf32>
  %3 = stablehlo.add %1, %z : tensor<2x3xi8>
  return %2, %3 : tensor<2x5xf32>, tensor<2x3xi8>
}
