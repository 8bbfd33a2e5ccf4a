func.func public @main(%x: tensor<4x7xf32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<3x1xi32>
  %less = stablehlo.constant dense<-2> : tensor<3x1xi32>
  %last = stablehlo.constant dense<5> : tensor<3x1xi32>
  %down = stablehlo.multiply %i, %less : tensor<3x1xi32>
  %back = stablehlo.add %down, %last : tensor<3x1xi32>
  %at = stablehlo.reverse %back, dims = [0] : tensor<3x1xi32>
  %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 4, 1>}> : (tensor<4x7xf32>, tensor<3x1xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
