// every: from.0=63
// Rows of a table that are added to those of another one, each taken from and to a place of an open list. Some places are outside.
func.func public @main(%table: tensor<7x4xf32> loc("table"), %from: tensor<?xi32> loc("from"), %to: tensor<?xi32> loc("to")) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<5x4xf32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %most = stablehlo.constant dense<7> : tensor<i32>
  %fs = stablehlo.get_dimension_size %from, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %ts = stablehlo.get_dimension_size %to, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %fs, %ts : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %fs, %ts) {error_message = "{0} is not {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %places = stablehlo.clamp %none, %to, %most : (tensor<i32>, tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %length = stablehlo.reshape %ts : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %length, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %sources = stablehlo.dynamic_reshape %from, %shape : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x1xi32>
  %targets = stablehlo.dynamic_reshape %places, %shape : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x1xi32>
  %rows = "stablehlo.gather"(%table, %sources) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<7x4xf32>, tensor<?x1xi32>) -> tensor<?x4xf32>
  %0 = "stablehlo.scatter"(%zeros, %targets, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<5x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>) -> tensor<5x4xf32>
  %1 = "stablehlo.scatter"(%zeros, %targets, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<5x4xf32>
}
