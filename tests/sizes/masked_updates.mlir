// sizes: x.0=4
// every: x.0=18
// open: x.0=17
// Windows of updates that are one or two rows shorter than what they update, at places that they have, or reach over an end.
func.func public @main(%x: tensor<?x4xf32> loc("x"), %u: tensor<3x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %enough = stablehlo.compare GE, %rows, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %rows) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %fewer = stablehlo.subtract %rows, %one : tensor<i32>
  %f1 = stablehlo.reshape %fewer : (tensor<i32>) -> tensor<1xi32>
  %fewest = stablehlo.subtract %rows, %two : tensor<i32>
  %f2 = stablehlo.reshape %fewest : (tensor<i32>) -> tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %s1 = stablehlo.concatenate %c3, %f1, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %s2 = stablehlo.concatenate %f2, %c3, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  // Each row of a window has other numbers.
  %u1 = stablehlo.dynamic_broadcast_in_dim %u, %s1, dims = [0, 2] : (tensor<3x4xf32>, tensor<3xi32>) -> tensor<3x?x4xf32>
  %i1 = stablehlo.dynamic_iota %s1, dim = 1 : (tensor<3xi32>) -> tensor<3x?x4xf32>
  %w1 = stablehlo.add %u1, %i1 : tensor<3x?x4xf32>
  %u2 = stablehlo.dynamic_broadcast_in_dim %u, %s2, dims = [1, 2] : (tensor<3x4xf32>, tensor<3xi32>) -> tensor<?x3x4xf32>
  %i2 = stablehlo.dynamic_iota %s2, dim = 0 : (tensor<3xi32>) -> tensor<?x3x4xf32>
  %w2 = stablehlo.add %u2, %i2 : tensor<?x3x4xf32>
  // Windows overlap: the last one stays.
  %places = stablehlo.constant dense<[[1], [0], [2]]> : tensor<3x1xi32>
  %0 = "stablehlo.scatter"(%x, %places, %w1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<3x1xi32>, tensor<3x?x4xf32>) -> tensor<?x4xf32>
  // Coordinates before their list; one place is before the first row.
  %turned = stablehlo.constant dense<[[0, -1, 2], [0, 1, 0]]> : tensor<2x3xi64>
  %1 = "stablehlo.scatter"(%x, %turned, %w2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.subtract %b, %a : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<2x3xi64>, tensor<?x3x4xf32>) -> tensor<?x4xf32>
  %2 = "stablehlo.scatter"(%x, %turned, %w2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.subtract %b, %a : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {strata.semantics = "spec"} : (tensor<?x4xf32>, tensor<2x3xi64>, tensor<?x3x4xf32>) -> tensor<?x4xf32>
  // Rows have no coordinate: their windows begin with the first one.
  %columns = stablehlo.constant dense<[3, 0, 3]> : tensor<3xi32>
  %s3 = stablehlo.concatenate %c3, %f1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i3 = stablehlo.dynamic_iota %s3, dim = 1 : (tensor<2xi32>) -> tensor<3x?xf32>
  %3 = "stablehlo.scatter"(%x, %columns, %i3) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.multiply %a, %b : tensor<f32>
      %d = stablehlo.add %c, %b : tensor<f32>
      stablehlo.return %d : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<3xi32>, tensor<3x?xf32>) -> tensor<?x4xf32>
  // Columns are paired with places.
  %s4 = stablehlo.concatenate %c4, %f1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i4 = stablehlo.dynamic_iota %s4, dim = 1 : (tensor<2xi32>) -> tensor<4x?xf32>
  %each = stablehlo.constant dense<[[1], [0], [2], [-1]]> : tensor<4x1xi32>
  %4 = "stablehlo.scatter"(%x, %each, %i4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<4x1xi32>, tensor<4x?xf32>) -> tensor<?x4xf32>
  // As long as what it updates: by the specification what stays inside of it is written.
  %h1 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %h = stablehlo.concatenate %h1, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i5 = stablehlo.dynamic_iota %h, dim = 0 : (tensor<2xi32>) -> tensor<?x4xf32>
  %back = stablehlo.constant dense<-1> : tensor<1xi32>
  %5 = "stablehlo.scatter"(%x, %back, %i5) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
  }) {strata.semantics = "spec"} : (tensor<?x4xf32>, tensor<1xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
