// sizes: x.0=5
// open: x.0=17
// Windows that end after the valid elements: dropped as XLA does, or only the elements that are outside.
func.func public @main(%x: tensor<?x4xf32> loc("x"), %u: tensor<8x2x3xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %enough = stablehlo.compare GE, %rows, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %rows) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %i = stablehlo.constant dense<[[0, 0], [1, 1], [2, 2], [7, 0], [-1, 0], [15, 1], [6, -1], [2, 1]]> : tensor<8x2xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.subtract %rows, %one : tensor<i32>
  %lasts = stablehlo.broadcast_in_dim %last, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
  %none = stablehlo.constant dense<0> : tensor<8x1xi32>
  %ends = stablehlo.concatenate %lasts, %none, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<8x2xi32>, tensor<8x2x3xf32>) -> tensor<?x4xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {strata.semantics = "spec"} : (tensor<?x4xf32>, tensor<8x2xi32>, tensor<8x2x3xf32>) -> tensor<?x4xf32>
  %2 = "stablehlo.scatter"(%x, %ends, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<8x2xi32>, tensor<8x2x3xf32>) -> tensor<?x4xf32>
  %3 = "stablehlo.scatter"(%x, %ends, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {strata.semantics = "spec"} : (tensor<?x4xf32>, tensor<8x2xi32>, tensor<8x2x3xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
