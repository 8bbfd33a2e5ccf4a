// ulp: 3
func.func public @main(%table: tensor<20x24xf32>, %places: tensor<13xi32>) -> tensor<24xf32> {
  // Rows are gathered at places in a temporary, into another one of the same workspace.
  %zero = stablehlo.constant dense<0> : tensor<13xi32>
  %twenty = stablehlo.constant dense<20> : tensor<13xi32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %is_less = stablehlo.compare LT, %places, %zero : (tensor<13xi32>, tensor<13xi32>) -> tensor<13xi1>
  %more = stablehlo.add %places, %twenty : tensor<13xi32>
  %own = stablehlo.select %is_less, %more, %places : tensor<13xi1>, tensor<13xi32>
  %starts = stablehlo.reshape %own : (tensor<13xi32>) -> tensor<13x1xi32>
  %rows = "stablehlo.gather"(%table, %starts) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 24>} : (tensor<20x24xf32>, tensor<13x1xi32>) -> tensor<13x24xf32>
  %sum = stablehlo.reduce(%rows init: %none) applies stablehlo.add across dimensions = [0] : (tensor<13x24xf32>, tensor<f32>) -> tensor<24xf32>
  return %sum : tensor<24xf32>
}
