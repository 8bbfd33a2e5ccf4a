// range: 0 9

// Updates that meet are combined one after the other: by the greatest common divisor, and by a table.
func.func public @main(%x: tensor<7x3xi32>, %ids: tensor<9x1xi32>, %u: tensor<9x3xi32>, %table: tensor<10x10xi32>) -> (tensor<7x3xi32>, tensor<7x3xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.scatter"(%x, %ids, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %w:2 = stablehlo.while(%p = %a, %q = %b) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare NE, %q, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.remainder %p, %q : tensor<i32>
      stablehlo.return %q, %r : tensor<i32>, tensor<i32>
    }
    stablehlo.return %w#0 : tensor<i32>
  }) : (tensor<7x3xi32>, tensor<9x1xi32>, tensor<9x3xi32>) -> tensor<7x3xi32>
  %1 = "stablehlo.scatter"(%x, %ids, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %cell = stablehlo.dynamic_slice %table, %a, %b, sizes = [1, 1] : (tensor<10x10xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1xi32>
    %next = stablehlo.reshape %cell : (tensor<1x1xi32>) -> tensor<i32>
    stablehlo.return %next : tensor<i32>
  }) : (tensor<7x3xi32>, tensor<9x1xi32>, tensor<9x3xi32>) -> tensor<7x3xi32>
  return %0, %1 : tensor<7x3xi32>, tensor<7x3xi32>
}
