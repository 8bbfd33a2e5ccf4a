// sizes: x.0=4,u.0=2
// open: x.0=17 u.0=9
// Positions are clamped to the elements that there are, and updates outside of them are dropped.
func.func public @main(%x: tensor<?x3xf32> loc("x"), %u: tensor<?x3xf32> loc("u"), %i: tensor<i32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>, tensor<12x3xf32>, tensor<?x3xf32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %enough = stablehlo.compare GE, %rows, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %rows) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %count = stablehlo.get_dimension_size %u, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %n = stablehlo.reshape %count : (tensor<i32>) -> tensor<1xi32>
  %one1 = stablehlo.constant dense<1> : tensor<1xi32>
  %shape = stablehlo.concatenate %n, %one1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %place = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x1xi32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %threes = stablehlo.dynamic_broadcast_in_dim %three, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x1xi32>
  %spread = stablehlo.multiply %place, %threes : tensor<?x1xi32>
  %0 = "stablehlo.gather"(%x, %spread) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<?x3xf32>, tensor<?x1xi32>) -> tensor<?x3xf32>
  %e = stablehlo.exponential %u : tensor<?x3xf32>
  %1 = "stablehlo.scatter"(%x, %spread, %e) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<?x3xf32>, tensor<?x1xi32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %far = stablehlo.constant dense<100> : tensor<i32>
  %2 = "stablehlo.dynamic_slice"(%x, %far, %zero) {slice_sizes = array<i64: 2, 3>} : (tensor<?x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %cache = stablehlo.constant dense<0.5> : tensor<12x3xf32>
  %3 = stablehlo.dynamic_update_slice %cache, %e, %three, %zero : (tensor<12x3xf32>, tensor<?x3xf32>, tensor<i32>, tensor<i32>) -> tensor<12x3xf32>
  %part = stablehlo.constant dense<9.0> : tensor<2x3xf32>
  %4 = stablehlo.dynamic_update_slice %x, %part, %i, %zero : (tensor<?x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<?x3xf32>
  return %0, %1, %2, %3, %4 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>, tensor<12x3xf32>, tensor<?x3xf32>
}
