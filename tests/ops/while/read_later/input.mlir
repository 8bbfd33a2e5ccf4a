func.func public @main(%x: tensor<3x3xi32>, %rows: tensor<2x3xi32>) -> (tensor<3x3xi32>, tensor<3x3xi32>) {
  // What the first state is made from is read in the loop and behind it.
  %start = stablehlo.negate %x : tensor<3x3xi32>
  %where = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi32>
  %first = "stablehlo.scatter"(%start, %where, %rows) <{
    scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %larger = stablehlo.maximum %old, %new : tensor<i32>
    stablehlo.return %larger : tensor<i32>
  }) : (tensor<3x3xi32>, tensor<2x1xi32>, tensor<2x3xi32>) -> tensor<3x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<40> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %s = %first) : tensor<i32>, tensor<3x3xi32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %twice = stablehlo.add %s, %s : tensor<3x3xi32>
    %next = stablehlo.add %twice, %start : tensor<3x3xi32>
    stablehlo.return %j, %next : tensor<i32>, tensor<3x3xi32>
  }
  %size = stablehlo.abs %start : tensor<3x3xi32>
  return %0#1, %size : tensor<3x3xi32>, tensor<3x3xi32>
}
