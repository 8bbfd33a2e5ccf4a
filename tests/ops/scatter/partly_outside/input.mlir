func.func public @main(%x: tensor<6x4xi32>, %u: tensor<10x2x3xi32>, %v: tensor<5x4xi32>, %w: tensor<5x2x3xi32>, %y: tensor<2x5x3xi32>, %z: tensor<2x3x2x3xi32>, %q: tensor<3x6x4xi32>) -> (tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<2x5x3xi32>, tensor<6x4xi32>) {
  // Windows partly outside on each side, in one and two dimensions, of batches, with unsigned and narrow indices: dropped.
  %i = stablehlo.constant dense<[[0, 0], [-1, 1], [4, 1], [1, -2], [1, 3], [3, 2], [-9, 9], [4, 2], [2147483647, 0], [-2147483648, 0]]> : tensor<10x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.subtract %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
  }) : (tensor<6x4xi32>, tensor<10x2xi32>, tensor<10x2x3xi32>) -> tensor<6x4xi32>
  %rows = stablehlo.constant dense<[[0], [5], [-1], [6], [3]]> : tensor<5x1xi32>
  %1 = "stablehlo.scatter"(%x, %rows, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
  }) : (tensor<6x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<6x4xi32>
  %far = stablehlo.constant dense<[[0, 18446744073709551615], [2, 1], [9223372036854775807, 0], [4, 0], [5, 0]]> : tensor<5x2xui64>
  %2 = "stablehlo.scatter"(%x, %far, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
  }) : (tensor<6x4xi32>, tensor<5x2xui64>, tensor<5x2x3xi32>) -> tensor<6x4xi32>
  %batches = stablehlo.constant dense<[[[0], [3], [-1]], [[4], [2], [1]]]> : tensor<2x3x1xi8>
  %3 = "stablehlo.scatter"(%y, %batches, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
  }) : (tensor<2x5x3xi32>, tensor<2x3x1xi8>, tensor<2x3x2x3xi32>) -> tensor<2x5x3xi32>
  %whole = stablehlo.constant dense<[[0, 0], [0, 1], [-1, 0]]> : tensor<3x2xi64>
  %4 = "stablehlo.scatter"(%x, %whole, %q) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
  }) : (tensor<6x4xi32>, tensor<3x2xi64>, tensor<3x6x4xi32>) -> tensor<6x4xi32>
  return %0, %1, %2, %3, %4 : tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<2x5x3xi32>, tensor<6x4xi32>
}
