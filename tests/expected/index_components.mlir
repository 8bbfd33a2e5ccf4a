// Index vectors that are put together from places and inputs; what is outside is moved inside.
func.func @points_of_each_image_and_channel() {
  %x0 = stablehlo.constant dense<[[[[33, 60, -95, 60, -7], [3, 25, -43, 94, -89], [-44, -24, 14, -19, -74], [-91, -99, -90, -70, 98]], [[-62, 30, 49, -53, -44], [-13, -47, 93, -64, 78], [58, 68, -77, -22, 25], [-2, 32, 34, 32, -87]], [[90, 11, 79, -46, -28], [75, -62, -87, -25, 35], [-75, 73, -32, -54, 8], [78, 76, 73, -39, -96]]], [[[55, 41, 53, -99, -92], [0, -33, -13, 85, -59], [5, -35, -41, 60, -69], [-37, -76, -70, -44, 39]], [[15, -11, -66, 59, 59], [-53, -88, -36, -71, 59], [3, 1, -42, 1, 92], [-53, 53, -97, -37, 85]], [[73, -83, 67, 68, -10], [-27, 95, 89, 35, -20], [-58, 86, -46, 11, 34], [-52, -37, 47, -60, 34]]]]> : tensor<2x3x4x5xi32>
  %i0 = stablehlo.constant dense<[[-1, 0, 3, 7], [2, 4, -5, 1]]> : tensor<2x4xi32>
  %j0 = stablehlo.constant dense<[4, 5, -2, 0]> : tensor<4xi32>
  %x, %i, %j = stablehlo.optimization_barrier %x0, %i0, %j0 : tensor<2x3x4x5xi32>, tensor<2x4xi32>, tensor<4xi32>
  %images = stablehlo.iota dim = 0 : tensor<2xi32>
  %channels = stablehlo.iota dim = 0 : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<3xi32>
  %three = stablehlo.constant dense<3> : tensor<3xi32>
  %is_negative = stablehlo.compare LT, %channels, %zero : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %from_end = stablehlo.add %channels, %three : tensor<3xi32>
  %channel = stablehlo.select %is_negative, %from_end, %channels : tensor<3xi1>, tensor<3xi32>
  %b = stablehlo.broadcast_in_dim %images, dims = [0] : (tensor<2xi32>) -> tensor<2x3x4x1xi32>
  %c = stablehlo.broadcast_in_dim %channel, dims = [1] : (tensor<3xi32>) -> tensor<2x3x4x1xi32>
  %y = stablehlo.broadcast_in_dim %i, dims = [0, 2] : (tensor<2x4xi32>) -> tensor<2x3x4x1xi32>
  %z = stablehlo.broadcast_in_dim %j, dims = [2] : (tensor<4xi32>) -> tensor<2x3x4x1xi32>
  %all = stablehlo.concatenate %b, %c, %y, %z, dim = 3 : (tensor<2x3x4x1xi32>, tensor<2x3x4x1xi32>, tensor<2x3x4x1xi32>, tensor<2x3x4x1xi32>) -> tensor<2x3x4x4xi32>
  %0 = "stablehlo.gather"(%x, %all) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2, 3], start_index_map = [0, 1, 2, 3], index_vector_dim = 3>,
    slice_sizes = array<i64: 1, 1, 1, 1>}> : (tensor<2x3x4x5xi32>, tensor<2x3x4x4xi32>) -> tensor<2x3x4xi32>
  check.expect_eq_const %0, dense<[[[-7, -7, -91, -91], [-44, -44, -2, -2], [-28, -28, 78, 78]], [[-69, 39, 55, 0], [92, 85, 15, -53], [34, 34, 73, -27]]]> : tensor<2x3x4xi32>
  return
}

// -----

// Places past the last row are moved to it, and only then are they not the rows in turn.
func.func @places_inside_and_outside() {
  %x0 = stablehlo.constant dense<[[88, 36, 28], [-8, 92, -56], [-29, 27, 30], [-78, -67, 38]]> : tensor<4x3xi32>
  %j0 = stablehlo.constant dense<[2, 0, 5, 1, 1]> : tensor<5xi32>
  %x, %j = stablehlo.optimization_barrier %x0, %j0 : tensor<4x3xi32>, tensor<5xi32>
  %five = stablehlo.iota dim = 0 : tensor<5xi32>
  %three = stablehlo.iota dim = 0 : tensor<3xi32>
  %ones = stablehlo.constant dense<1> : tensor<3xi32>
  %from_one = stablehlo.add %three, %ones : tensor<3xi32>
  %two = stablehlo.iota dim = 0 : tensor<2xi32>
  %twice = stablehlo.add %two, %two : tensor<2xi32>
  %pb = stablehlo.reshape %five : (tensor<5xi32>) -> tensor<5x1xi32>
  %pk = stablehlo.slice %j [0:5] : (tensor<5xi32>) -> tensor<5xi32>
  %pj = stablehlo.reshape %pk : (tensor<5xi32>) -> tensor<5x1xi32>
  %pa = stablehlo.concatenate %pb, %pj, dim = 1 : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x2xi32>
  %p = "stablehlo.gather"(%x, %pa) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<4x3xi32>, tensor<5x2xi32>) -> tensor<5xi32>
  %qb = stablehlo.reshape %from_one : (tensor<3xi32>) -> tensor<3x1xi32>
  %qk = stablehlo.slice %j [0:3] : (tensor<5xi32>) -> tensor<3xi32>
  %qj = stablehlo.reshape %qk : (tensor<3xi32>) -> tensor<3x1xi32>
  %qa = stablehlo.concatenate %qb, %qj, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  %q = "stablehlo.gather"(%x, %qa) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<4x3xi32>, tensor<3x2xi32>) -> tensor<3xi32>
  %rb = stablehlo.reshape %twice : (tensor<2xi32>) -> tensor<2x1xi32>
  %rk = stablehlo.slice %j [0:2] : (tensor<5xi32>) -> tensor<2xi32>
  %rj = stablehlo.reshape %rk : (tensor<2xi32>) -> tensor<2x1xi32>
  %ra = stablehlo.concatenate %rb, %rj, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %r = "stablehlo.gather"(%x, %ra) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<4x3xi32>, tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %p, dense<[28, -8, 30, -67, -67]> : tensor<5xi32>
  check.expect_eq_const %q, dense<[-56, -29, 38]> : tensor<3xi32>
  check.expect_eq_const %r, dense<[28, -29]> : tensor<2xi32>
  return
}

// -----

// Sums into each row at its own columns, and into the row after it; what is outside is left out.
func.func @sums_in_each_row() {
  %x0 = stablehlo.constant dense<[[6, 2, 7, -3], [-4, 5, -9, -6], [-6, -2, -7, 5]]> : tensor<3x4xi32>
  %j0 = stablehlo.constant dense<[[1, -1, 3], [4, 0, 0], [2, 2, 2]]> : tensor<3x3xi32>
  %u0 = stablehlo.constant dense<[[7, 4, 1], [6, 1, 5], [2, 8, 6]]> : tensor<3x3xi32>
  %x, %j, %u = stablehlo.optimization_barrier %x0, %j0, %u0 : tensor<3x4xi32>, tensor<3x3xi32>, tensor<3x3xi32>
  %rows = stablehlo.iota dim = 0 : tensor<3xi32>
  %ones = stablehlo.constant dense<1> : tensor<3xi32>
  %next = stablehlo.add %rows, %ones : tensor<3xi32>
  %pb = stablehlo.broadcast_in_dim %rows, dims = [0] : (tensor<3xi32>) -> tensor<3x3x1xi32>
  %pj = stablehlo.reshape %j : (tensor<3x3xi32>) -> tensor<3x3x1xi32>
  %pa = stablehlo.concatenate %pj, %pb, dim = 2 : (tensor<3x3x1xi32>, tensor<3x3x1xi32>) -> tensor<3x3x2xi32>
  %p = "stablehlo.scatter"(%x, %pa, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0],
    index_vector_dim = 2>}> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %sum = stablehlo.add %old, %new : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<3x4xi32>, tensor<3x3x2xi32>, tensor<3x3xi32>) -> tensor<3x4xi32>
  %qb = stablehlo.broadcast_in_dim %next, dims = [0] : (tensor<3xi32>) -> tensor<3x3x1xi32>
  %qj = stablehlo.reshape %j : (tensor<3x3xi32>) -> tensor<3x3x1xi32>
  %qa = stablehlo.concatenate %qj, %qb, dim = 2 : (tensor<3x3x1xi32>, tensor<3x3x1xi32>) -> tensor<3x3x2xi32>
  %q = "stablehlo.scatter"(%x, %qa, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0],
    index_vector_dim = 2>}> ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %sum = stablehlo.add %old, %new : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<3x4xi32>, tensor<3x3x2xi32>, tensor<3x3xi32>) -> tensor<3x4xi32>
  check.expect_eq_const %p, dense<[[6, 9, 7, -2], [2, 5, -9, -6], [-6, -2, 9, 5]]> : tensor<3x4xi32>
  check.expect_eq_const %q, dense<[[6, 2, 7, -3], [-4, 12, -9, -5], [0, -2, -7, 5]]> : tensor<3x4xi32>
  return
}
