// range: -3 8
func.func public @main(%x: tensor<6x5xi32>, %at: tensor<2x3xi32>, %u: tensor<3x2x4xi32>) -> tensor<6x5xi32> {
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2],
    scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<6x5xi32>, tensor<2x3xi32>, tensor<3x2x4xi32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
