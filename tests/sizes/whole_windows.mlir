// sizes: x.0=3
// sizes: x.0=5
// open: x.0=3
// open: x.0=9
// refused: x.0=2 S1106
// Slices that are as long as the bound, and shorter than other bounds.
func.func public @main(%x: tensor<?x4xf32> loc("x"), %i: tensor<2x1xi32>) -> (tensor<2x3x4xf32>, tensor<2x3x2xf32>) {
  %sizes = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3, 4>}> : (tensor<?x4xf32>, tensor<2x1xi32>) -> tensor<2x3x4xf32>
  %1 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x3x2xf32>
  return %0, %1 : tensor<2x3x4xf32>, tensor<2x3x2xf32>
}
