// range: -3 9
func.func public @main(%x: tensor<7xi32>, %i: tensor<3x1xui64>, %u: tensor<3x4xi32>) -> tensor<7xi32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<7xi32>, tensor<3x1xui64>, tensor<3x4xi32>) -> tensor<7xi32>
  return %0 : tensor<7xi32>
}
