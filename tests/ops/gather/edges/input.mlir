// range: -3 12
func.func public @main(%x: tensor<5x3xi4>, %i: tensor<1xui8>, %none: tensor<0x1xi64>, %y: tensor<9xf8E5M2>) -> (tensor<3xi4>, tensor<0x3xf8E5M2>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xi4>, tensor<1xui8>) -> tensor<3xi4>
  %1 = "stablehlo.gather"(%y, %none) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3>}> : (tensor<9xf8E5M2>, tensor<0x1xi64>) -> tensor<0x3xf8E5M2>
  return %0, %1 : tensor<3xi4>, tensor<0x3xf8E5M2>
}
