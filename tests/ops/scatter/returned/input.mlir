func.func public @main(%x: tensor<3x3xi32>, %rows: tensor<2x3xi32>) -> (tensor<3x3xi32>, tensor<3x3xi32>) {
  // The array in which elements are replaced is a result, too, and comes behind the other one.
  %start = stablehlo.negate %x : tensor<3x3xi32>
  %where = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi32>
  %0 = "stablehlo.scatter"(%start, %where, %rows) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %larger = stablehlo.maximum %old, %new : tensor<i32>
    stablehlo.return %larger : tensor<i32>
  }) : (tensor<3x3xi32>, tensor<2x1xi32>, tensor<2x3xi32>) -> tensor<3x3xi32>
  return %0, %start : tensor<3x3xi32>, tensor<3x3xi32>
}
