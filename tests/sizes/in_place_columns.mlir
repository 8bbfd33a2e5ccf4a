// sizes: x.0=5
// every: x.0=41
// open: x.0=150
// The same with sizes across vectors, of which an output is read, too.
func.func public @main(%x: tensor<?x20xf32> loc("x"), %w: tensor<20x20xf32>, %places: tensor<4x1xi32>) -> (tensor<?x20xf32>, tensor<20xf32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<4x20xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %exp = stablehlo.exponential %x : tensor<?x20xf32>
  %along = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x20xf32>, tensor<f32>) -> tensor<20xf32>
  %product = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x20xf32>, tensor<20x20xf32>) -> tensor<?x20xf32>
  %product2 = stablehlo.dot_general %product, %w, contracting_dims = [1] x [0] : (tensor<?x20xf32>, tensor<20x20xf32>) -> tensor<?x20xf32>
  %more = stablehlo.add %product2, %x : tensor<?x20xf32>
  %reversed = stablehlo.reverse %x, dims = [0] : tensor<?x20xf32>
  %sorted = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %less = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<?x20xf32>) -> tensor<?x20xf32>
  %found = "stablehlo.gather"(%x, %places) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 20>}> : (tensor<?x20xf32>, tensor<4x1xi32>) -> tensor<4x20xf32>
  return %exp, %along, %more, %reversed, %sorted, %found : tensor<?x20xf32>, tensor<20xf32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<4x20xf32>
}
