func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, %i: tensor<5x1xi32>) -> (tensor<5x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>, indices_are_sorted = false}> : (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, tensor<5x1xi32>) -> tensor<5x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<5x!quant.uniform<i8:f32, 0.05:-3>>
}
