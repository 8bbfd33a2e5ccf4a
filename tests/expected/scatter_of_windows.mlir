// One window after the other, though the window's dimension is the first of the updates.
func.func @the_later_index_writes_last() {
  %x = stablehlo.constant dense<0> : tensor<4xi32>
  %i = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>
  %u = stablehlo.constant dense<[[10, 11], [20, 21], [30, 31]]> : tensor<3x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<3x2xi32>) -> tensor<4xi32>
  check.expect_eq_const %0, dense<[10, 11, 21, 31]> : tensor<4xi32>
  return
}
