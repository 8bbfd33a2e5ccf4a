// sizes: x.0=3
// rows: x.0
// Layers that keep rows apart: products, reductions of other dimensions, a table, windows, transforms, factorisations, loops.
func.func public @main(%x: tensor<?x6xf32> loc("x"), %i: tensor<?x2xi32> loc("i"), %w: tensor<6x4xf32>, %table: tensor<9x3xf32>) -> (tensor<?x4xf32>, tensor<?x2x3xf32>, tensor<?x3xf32>, tensor<?x4xcomplex<f32>>, tensor<?x6xf32>, tensor<1x?x2x2xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %i1 = stablehlo.constant dense<1> : tensor<i32>
  %i3 = stablehlo.constant dense<3> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x2xi32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %m, %n) {error_message = "{0} and {1} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %c6 = stablehlo.constant dense<6> : tensor<1xi32>
  // A layer with a bias, and softmax.
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x6xf32>, tensor<6x4xf32>) -> tensor<?x4xf32>
  %shape = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %bias = stablehlo.constant dense<[0.5, -1.0, 2.0, 0.25]> : tensor<4xf32>
  %b = stablehlo.dynamic_broadcast_in_dim %bias, %shape, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %s = stablehlo.add %d, %b : tensor<?x4xf32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %maxes = stablehlo.dynamic_broadcast_in_dim %max, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %centred = stablehlo.subtract %s, %maxes : tensor<?x4xf32>
  %e = stablehlo.exponential %centred : tensor<?x4xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %sums = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %0 = stablehlo.divide %e, %sums : tensor<?x4xf32>
  // Rows of a table.
  %1 = "stablehlo.gather"(%table, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 3>} : (tensor<9x3xf32>, tensor<?x2xi32>) -> tensor<?x2x3xf32>
  // A window, and a transform.
  %2 = "stablehlo.reduce_window"(%x, %low) ({
    ^bb0(%a: tensor<f32>, %c: tensor<f32>):
      %larger = stablehlo.maximum %a, %c : tensor<f32>
      stablehlo.return %larger : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>} : (tensor<?x6xf32>, tensor<f32>) -> tensor<?x3xf32>
  %3 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<?x6xf32>) -> tensor<?x4xcomplex<f32>>
  // A loop that takes one column of all rows at a time.
  %start = stablehlo.concatenate %rows, %c6, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %init = stablehlo.dynamic_broadcast_in_dim %zero, %start, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x6xf32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi32>
  %column = stablehlo.concatenate %rows, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %4:2 = stablehlo.while(%at = %i0, %y = %init) : tensor<i32>, tensor<?x6xf32>
    cond {
      %more = stablehlo.compare LT, %at, %i3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %place = stablehlo.reshape %at : (tensor<i32>) -> tensor<1xi32>
      %first = stablehlo.concatenate %zeros, %place, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %limit = stablehlo.add %first, %column : tensor<2xi32>
      %taken = stablehlo.real_dynamic_slice %x, %first, %limit, %ones : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x1xf32>
      %t = stablehlo.tanh %taken : tensor<?x1xf32>
      %put = stablehlo.dynamic_update_slice %y, %t, %i0, %at : (tensor<?x6xf32>, tensor<?x1xf32>, tensor<i32>, tensor<i32>) -> tensor<?x6xf32>
      %next = stablehlo.add %at, %i1 : tensor<i32>
      stablehlo.return %next, %put : tensor<i32>, tensor<?x6xf32>
    }
  // Matrices, one for each row, under a leading dimension of 1.
  %matrices = stablehlo.concatenate %c1, %rows, %c2, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %eye = stablehlo.constant dense<[[4.0, 1.0], [1.0, 3.0]]> : tensor<2x2xf32>
  %all = stablehlo.dynamic_broadcast_in_dim %eye, %matrices, dims = [2, 3] : (tensor<2x2xf32>, tensor<4xi32>) -> tensor<1x?x2x2xf32>
  %scale = stablehlo.dynamic_broadcast_in_dim %sum, %matrices, dims = [1] : (tensor<?xf32>, tensor<4xi32>) -> tensor<1x?x2x2xf32>
  %scaled = stablehlo.multiply %all, %scale : tensor<1x?x2x2xf32>
  %5 = stablehlo.cholesky %scaled, lower = true : tensor<1x?x2x2xf32>
  // What is the same for all rows.
  %6 = stablehlo.sine %bias : tensor<4xf32>
  return %0, %1, %2, %3, %4#1, %5, %6 : tensor<?x4xf32>, tensor<?x2x3xf32>, tensor<?x3xf32>, tensor<?x4xcomplex<f32>>, tensor<?x6xf32>, tensor<1x?x2x2xf32>, tensor<4xf32>
}
