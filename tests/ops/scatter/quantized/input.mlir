func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, %i: tensor<5x1xi32>, %u: tensor<5x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.05:-3>>):
    %s = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.05:-3>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.05:-3>>
  }) : (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, tensor<5x1xi32>, tensor<5x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
}
