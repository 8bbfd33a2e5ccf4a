// range: -1 6
// plain
// ulp: 4
func.func public @main(%x: tensor<5x3xi4>, %i: tensor<1xui8>, %u: tensor<3xi4>, %none: tensor<0x1xi64>, %y: tensor<9xf8E5M2>, %v: tensor<0x3xf8E5M2>) -> (tensor<5x3xi4>, tensor<9xf8E5M2>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %s = stablehlo.multiply %a, %b : tensor<i4>
    stablehlo.return %s : tensor<i4>
  }) : (tensor<5x3xi4>, tensor<1xui8>, tensor<3xi4>) -> tensor<5x3xi4>
  %1 = "stablehlo.scatter"(%y, %none, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f8E5M2>, %b: tensor<f8E5M2>):
    stablehlo.return %b : tensor<f8E5M2>
  }) : (tensor<9xf8E5M2>, tensor<0x1xi64>, tensor<0x3xf8E5M2>) -> tensor<9xf8E5M2>
  return %0, %1 : tensor<5x3xi4>, tensor<9xf8E5M2>
}
