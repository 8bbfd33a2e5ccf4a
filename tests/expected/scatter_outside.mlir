// What JAX computes for the gradient of a slice that is filled outside of its operand: nothing is added for a window that is not
// entirely inside.
func.func @windows_partly_outside_are_dropped() {
  %x = stablehlo.constant dense<0> : tensor<5xi32>
  %i = stablehlo.constant dense<[[3], [-1], [2]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[[1, 2, 3], [10, 20, 30], [100, 200, 300]]> : tensor<3x3xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<5xi32>, tensor<3x1xi32>, tensor<3x3xi32>) -> tensor<5xi32>
  check.expect_eq_const %0, dense<[0, 0, 100, 200, 300]> : tensor<5xi32>
  return
}
// -----
module attributes {strata.semantics = "spec"} {
  func.func @elements_outside_are_dropped() {
    %x = stablehlo.constant dense<0> : tensor<5xi32>
    %i = stablehlo.constant dense<[[3], [-1], [2]]> : tensor<3x1xi32>
    %u = stablehlo.constant dense<[[1, 2, 3], [10, 20, 30], [100, 200, 300]]> : tensor<3x3xi32>
    %0 = "stablehlo.scatter"(%x, %i, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
    }> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<5xi32>, tensor<3x1xi32>, tensor<3x3xi32>) -> tensor<5xi32>
    check.expect_eq_const %0, dense<[20, 30, 100, 201, 302]> : tensor<5xi32>
    return
  }
}
