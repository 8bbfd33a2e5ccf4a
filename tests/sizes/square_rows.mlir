// sizes: v.0=3
// every: v.0=40
// open: v.0=100
// Rows as long as there are rows: what is read of a row, or written to it, is inside; vectors along rows begin earlier where they would
// reach over the end.
func.func public @main(%v: tensor<?xf32> loc("v"), %w: tensor<?xf32> loc("w"), %q: tensor<?x?xf32> loc("q")) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %n = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %q0 = stablehlo.get_dimension_size %q, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %q1 = stablehlo.get_dimension_size %q, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %n, %q0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %n, %q1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %n, %q0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %n, %q1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %sum = stablehlo.add %v, %w : tensor<?xf32>
  %rows = stablehlo.dynamic_broadcast_in_dim %v, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %columns = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %0 = stablehlo.multiply %rows, %columns : tensor<?x?xf32>
  %1 = stablehlo.transpose %q, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = stablehlo.subtract %q, %1 : tensor<?x?xf32>
  %i = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %j = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %lower = stablehlo.compare GE, %i, %j, SIGNED : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi1>
  %3 = stablehlo.select %lower, %q, %0 : tensor<?x?xi1>, tensor<?x?xf32>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
