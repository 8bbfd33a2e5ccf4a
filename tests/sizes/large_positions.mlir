// sizes: x.0=2
// every: x.0=12
// open: x.0=17
func.func public @main(%x: tensor<?x3xf32> loc("x"), %i: tensor<ui64>, %j: tensor<2x1xui64>, %u: tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>) {
  // Above all numbers of i64: outside, and moved to the last row.
  %high = stablehlo.constant dense<9223372036854775808> : tensor<ui64>
  %highs = stablehlo.constant dense<9223372036854775808> : tensor<2x1xui64>
  %zero = stablehlo.constant dense<0> : tensor<ui64>
  %p = stablehlo.or %i, %high : tensor<ui64>
  %q = stablehlo.or %j, %highs : tensor<2x1xui64>
  %0 = stablehlo.dynamic_slice %x, %p, %zero, sizes = [1, 3] : (tensor<?x3xf32>, tensor<ui64>, tensor<ui64>) -> tensor<1x3xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %p, %zero : (tensor<?x3xf32>, tensor<1x3xf32>, tensor<ui64>, tensor<ui64>) -> tensor<?x3xf32>
  %2 = "stablehlo.gather"(%x, %q) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<?x3xf32>, tensor<2x1xui64>) -> tensor<2x3xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %3 = "stablehlo.scatter"(%x, %q, %ones) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<?x3xf32>, tensor<2x1xui64>, tensor<2x3xf32>) -> tensor<?x3xf32>
  return %0, %1, %2, %3 : tensor<1x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>
}
