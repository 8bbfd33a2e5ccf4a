// sizes: x.0=3,i.0=5
// every: x.0=9,i.0=7
// open: x.0=40 i.0=70
// Rows of a dot that positions name, clamped to what there is, in a sum for each of them, as in a graph network.
func.func public @main(%x: tensor<?x8xf32> loc("x"), %i: tensor<?xi32> loc("i")) -> tensor<?x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [-1.0, 1.0, 2.0, 0.5], [0.25, 3.0, -2.0, 1.0], [1.5, 0.0, 1.0, 2.0], [2.0, -3.0, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0], [0.5, 2.0, 4.0, -1.0], [3.0, 1.0, 0.0, 2.0]]> : tensor<8x4xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %e = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %e1 = stablehlo.reshape %e : (tensor<i32>) -> tensor<1xi32>
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %last = stablehlo.subtract %n, %one : tensor<i32>
  %most = stablehlo.dynamic_broadcast_in_dim %last, %e1, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
  %least = stablehlo.dynamic_broadcast_in_dim %zero, %e1, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
  %1 = stablehlo.minimum %i, %most : tensor<?xi32>
  %2 = stablehlo.maximum %1, %least : tensor<?xi32>
  %3 = "stablehlo.gather"(%0, %2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x4xf32>
  %4 = stablehlo.add %3, %3 : tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}
