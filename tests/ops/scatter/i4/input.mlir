// range: -3 9
func.func public @main(%x: tensor<7x3xi4>, %i: tensor<5x1xui64>, %u: tensor<5x3xi4>) -> tensor<7x3xi4> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %s = stablehlo.add %a, %b : tensor<i4>
    stablehlo.return %s : tensor<i4>
  }) : (tensor<7x3xi4>, tensor<5x1xui64>, tensor<5x3xi4>) -> tensor<7x3xi4>
  return %0 : tensor<7x3xi4>
}
