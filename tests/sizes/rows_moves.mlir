// sizes: x.0=3
// rows: x.0
// Rows beside what moves, pairs, picks, updates and sorts in other dimensions, and rows that are columns meanwhile.
func.func public @main(%x: tensor<?x6xf32> loc("x"), %table: tensor<3x6xf32>, %at: tensor<2x1xi32>, %lower: tensor<6x6xf32>, %scale: tensor<6xf32>) -> (tensor<?x9xf32>, tensor<?x3xf32>, tensor<?x2xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x12xf32>, tensor<?x6xf32>, tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %i2 = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
  %i1 = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %n, %i1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0} rows are too few", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %c6 = stablehlo.constant dense<6> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c6, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  // Padding and slices whose amounts are operands.
  %low = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
  %high = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %padded = stablehlo.dynamic_pad %x, %zero, %low, %high, %none : (tensor<?x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x9xf32>
  %start = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %limit = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %part = stablehlo.real_dynamic_slice %x, %start, %limit, %ones : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xf32>
  // Columns at positions that are the same for all rows.
  %column = stablehlo.concatenate %rows, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %picked = "stablehlo.dynamic_gather"(%x, %at, %column) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>} : (tensor<?x6xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  // One element of each row at a position of its own, put back at another one.
  %sines = stablehlo.sine %x : tensor<?x6xf32>
  %first = stablehlo.reduce(%sines init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<?x6xf32>, tensor<f32>) -> tensor<?xf32>
  %three = stablehlo.constant dense<5.5> : tensor<f32>
  %threes = stablehlo.dynamic_broadcast_in_dim %three, %rows, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %wide = stablehlo.multiply %first, %threes : tensor<?xf32>
  %places = stablehlo.convert %wide : (tensor<?xf32>) -> tensor<?xi32>
  %lists = stablehlo.dynamic_reshape %places, %column : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x1xi32>
  %taken = "stablehlo.gather"(%x, %lists) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} : (tensor<?x6xf32>, tensor<?x1xi32>) -> tensor<?xf32>
  %put = "stablehlo.scatter"(%x, %lists, %first) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<?x6xf32>, tensor<?x1xi32>, tensor<?xf32>) -> tensor<?x6xf32>
  // Two columns of all rows, at positions that are the same for all.
  %columns = "stablehlo.scatter"(%x, %at, %picked) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<?x6xf32>, tensor<2x1xi32>, tensor<?x2xf32>) -> tensor<?x6xf32>
  %updated = stablehlo.dynamic_update_slice %x, %part, %i0, %i2 : (tensor<?x6xf32>, tensor<?x3xf32>, tensor<i32>, tensor<i32>) -> tensor<?x6xf32>
  %both = stablehlo.concatenate %x, %updated, dim = 1 : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x12xf32>
  // Keys with what they are of.
  %sorted:2 = "stablehlo.sort"(%x, %updated) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<?x6xf32>, tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>)
  %most:2 = chlo.top_k(%x, k = 2) : tensor<?x6xf32> -> (tensor<?x2xf32>, tensor<?x2xi32>)
  // Rows are columns: of a product, of right-hand sides, and of features.
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x6xf32>) -> tensor<6x?xf32>
  %product = stablehlo.dot_general %table, %turned, contracting_dims = [1] x [0] : (tensor<3x6xf32>, tensor<6x?xf32>) -> tensor<3x?xf32>
  %products = stablehlo.transpose %product, dims = [1, 0] : (tensor<3x?xf32>) -> tensor<?x3xf32>
  %solved = "stablehlo.triangular_solve"(%lower, %turned) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<6x6xf32>, tensor<6x?xf32>) -> tensor<6x?xf32>
  %solutions = stablehlo.transpose %solved, dims = [1, 0] : (tensor<6x?xf32>) -> tensor<?x6xf32>
  %squares = stablehlo.multiply %scale, %scale : tensor<6xf32>
  %normal = "stablehlo.batch_norm_inference"(%x, %scale, %scale, %scale, %squares) {epsilon = 1.0 : f32, feature_index = 1 : i64} : (tensor<?x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
  // One element of each row, for all of it.
  %alone = stablehlo.dynamic_reshape %first, %column : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x1xf32>
  %firsts = stablehlo.dynamic_broadcast_in_dim %alone, %shape, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<?x6xf32>
  return %padded, %part, %picked, %put, %columns, %updated, %both, %sorted#1, %most#0, %products, %solutions, %normal, %firsts, %taken : tensor<?x9xf32>, tensor<?x3xf32>, tensor<?x2xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x12xf32>, tensor<?x6xf32>, tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<?xf32>
}
