// sizes: x.1=5
// every: x.1=41
// open: x.1=150
// Inputs and outputs with the sizes of the call, which are those of the rows of vectors: added, turned, summed, reversed, pooled and looked up.
func.func public @main(%x: tensor<7x?xf32> loc("x"), %places: tensor<4x1xi32>) -> (tensor<7x?xf32>, tensor<?x7xf32>, tensor<7xf32>, tensor<7x?xf32>, tensor<7x?xf32>, tensor<4x7xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %sum = stablehlo.add %x, %x : tensor<7x?xf32>
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<7x?xf32>) -> tensor<?x7xf32>
  %across = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x?xf32>, tensor<f32>) -> tensor<7xf32>
  %pool = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<7x?xf32>, tensor<f32>) -> tensor<7x?xf32>
  %sorted = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %less = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<7x?xf32>) -> tensor<7x?xf32>
  %found = "stablehlo.gather"(%x, %places) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 7, 1>}> : (tensor<7x?xf32>, tensor<4x1xi32>) -> tensor<4x7xf32>
  return %sum, %turned, %across, %pool, %sorted, %found : tensor<7x?xf32>, tensor<?x7xf32>, tensor<7xf32>, tensor<7x?xf32>, tensor<7x?xf32>, tensor<4x7xf32>
}
