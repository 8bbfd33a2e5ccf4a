// sizes: x.0=2,x.1=5
// every: x.0=3,x.1=9
// open: x.0=9 x.1=37
// One element of each row of an open number, at a place that an input says, clamped to the row: rows and places end with the sizes.
func.func public @main(%x: tensor<?x?x20xf32> loc("x"), %places: tensor<?x?xi32> loc("places")) -> (tensor<?x?xf32>, tensor<f32>) {
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c20 = stablehlo.constant dense<20> : tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x20xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x20xf32>) -> tensor<i32>
  %b0 = stablehlo.get_dimension_size %places, dim = 0 : (tensor<?x?xi32>) -> tensor<i32>
  %s0 = stablehlo.get_dimension_size %places, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %b, %b0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %s, %s0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %b, %b0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %s, %s0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %b1 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %s1 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %rows = stablehlo.concatenate %b1, %s1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %one_each = stablehlo.concatenate %b1, %s1, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %whole = stablehlo.concatenate %b1, %s1, %c20, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %scaled = stablehlo.tanh %x : tensor<?x?x20xf32>
  %sums = stablehlo.reduce(%scaled init: %f0) applies stablehlo.add across dimensions = [2] : (tensor<?x?x20xf32>, tensor<f32>) -> tensor<?x?xf32>
  %wide = stablehlo.dynamic_broadcast_in_dim %sums, %whole, dims = [0, 1] : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x20xf32>
  %centred = stablehlo.subtract %scaled, %wide : tensor<?x?x20xf32>
  %threes = stablehlo.dynamic_broadcast_in_dim %c3, %rows, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x?xi32>
  %moved = stablehlo.multiply %places, %threes : tensor<?x?xi32>
  %starts = stablehlo.dynamic_reshape %moved, %one_each : (tensor<?x?xi32>, tensor<3xi32>) -> tensor<?x?x1xi32>
  %taken = "stablehlo.gather"(%centred, %starts) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<?x?x20xf32>, tensor<?x?x1xi32>) -> tensor<?x?xf32>
  %total = stablehlo.reduce(%taken init: %f0) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %taken, %total : tensor<?x?xf32>, tensor<f32>
}
