// sizes: x.0=1
// sizes: x.0=4
// sizes: x.0=11
// Sorts, scatters, transforms, factorisations, windows and concatenations of rows whose number is open.
func.func public @main(%x: tensor<?x8xf32> loc("x"), %i: tensor<2x1xi32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x5xcomplex<f32>>, tensor<?x2x2xf32>, tensor<?x4xf32>, tensor<?x16xf32>, tensor<8xf32>, tensor<?xi1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %u = stablehlo.constant dense<2.0> : tensor<2x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<?x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<?x8xf32>
  %2 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<?x8xf32>) -> tensor<?x5xcomplex<f32>>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c2, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %eye = stablehlo.constant dense<[[4.0, 1.0], [1.0, 3.0]]> : tensor<2x2xf32>
  %all = stablehlo.dynamic_broadcast_in_dim %eye, %shape, dims = [1, 2] : (tensor<2x2xf32>, tensor<3xi32>) -> tensor<?x2x2xf32>
  %3 = stablehlo.cholesky %all, lower = true : tensor<?x2x2xf32>
  %4 = "stablehlo.reduce_window"(%x, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %max = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %max : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>} : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x4xf32>
  %5 = stablehlo.concatenate %0, %x, dim = 1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %6 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x8xf32>, tensor<f32>) -> tensor<8xf32>
  %one = stablehlo.constant dense<0.5> : tensor<f32>
  %row = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<?x8xf32>, tensor<f32>) -> tensor<?xf32>
  %7 = chlo.broadcast_compare %row, %one {comparison_direction = #chlo<comparison_direction GT>} : (tensor<?xf32>, tensor<f32>) -> tensor<?xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x5xcomplex<f32>>, tensor<?x2x2xf32>, tensor<?x4xf32>, tensor<?x16xf32>, tensor<8xf32>, tensor<?xi1>
}
