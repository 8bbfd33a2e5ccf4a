func.func public @main(%x: tensor<9xi32>, %u: tensor<3x4xi32>) -> tensor<9xi32> {
  // Windows that overlap, with the dimension of the window in front: the later index writes last.
  %i = stablehlo.constant dense<[[1], [2], [0], [3]]> : tensor<4x1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) : (tensor<9xi32>, tensor<4x1xi32>, tensor<3x4xi32>) -> tensor<9xi32>
  return %0 : tensor<9xi32>
}
