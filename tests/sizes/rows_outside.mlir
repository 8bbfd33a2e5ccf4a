// sizes: x.0=3
// rows: x.0
// open: x.0=20
// Elements at places of each row's own, and NaN for places outside: what is compared with is the largest index of one dimension, which is taken from a
// list of all sizes, that of rows included; also at a place of that list that is outside of it.
func.func public @main(%x: tensor<?x9xf32> loc("x"), %i: tensor<?x4xi32> loc("i")) -> (tensor<?x4xf32>, tensor<?x4xi1>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x9xf32>) -> tensor<i32>
  %n.i = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x4xi32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %n.i : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same) {has_side_effect = true} : (tensor<i1>) -> ()
  %one = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %c9 = stablehlo.constant dense<9> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c9, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %own = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %at = stablehlo.constant dense<[[1], [7]]> : tensor<2x1xi32>
  %sizes = "stablehlo.gather"(%shape, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xi32>, tensor<2x1xi32>) -> tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %lasts = stablehlo.subtract %sizes, %ones : tensor<2xi32>
  %last = stablehlo.slice %lasts [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %other = stablehlo.slice %lasts [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %most = stablehlo.dynamic_broadcast_in_dim %last, %own, dims = [1] : (tensor<1xi32>, tensor<2xi32>) -> tensor<?x4xi32>
  %mosts = stablehlo.dynamic_broadcast_in_dim %other, %own, dims = [1] : (tensor<1xi32>, tensor<2xi32>) -> tensor<?x4xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %own, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x4xi32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %threes = stablehlo.dynamic_broadcast_in_dim %three, %own, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x4xi32>
  %j = stablehlo.multiply %i, %threes : tensor<?x4xi32>
  %above = stablehlo.compare GE, %j, %zeros, SIGNED : (tensor<?x4xi32>, tensor<?x4xi32>) -> tensor<?x4xi1>
  %below = stablehlo.compare LE, %j, %most, SIGNED : (tensor<?x4xi32>, tensor<?x4xi32>) -> tensor<?x4xi1>
  %1 = stablehlo.compare LE, %j, %mosts, SIGNED : (tensor<?x4xi32>, tensor<?x4xi32>) -> tensor<?x4xi1>
  %inside = stablehlo.and %above, %below : tensor<?x4xi1>
  %vectors = stablehlo.concatenate %rows, %c4, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %places = stablehlo.dynamic_reshape %j, %vectors : (tensor<?x4xi32>, tensor<3xi32>) -> tensor<?x4x1xi32>
  %taken = "stablehlo.gather"(%x, %places) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<?x9xf32>, tensor<?x4x1xi32>) -> tensor<?x4xf32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %nans = stablehlo.dynamic_broadcast_in_dim %nan, %own, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
  %0 = stablehlo.select %inside, %taken, %nans : tensor<?x4xi1>, tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xi1>
}
