// range: -2 9
func.func public @main(%x: tensor<9x5xi4>, %i: tensor<3x1xi32>) -> tensor<3x5xi4> {
  %sizes = stablehlo.constant dense<[1, 5]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<9x5xi4>, tensor<3x1xi32>, tensor<2xi64>) -> tensor<3x5xi4>
  return %0 : tensor<3x5xi4>
}
