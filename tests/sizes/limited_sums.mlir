// sizes: x.0=5
// every: x.0=37
// open: x.0=150
// Sums, products and extrema of all rows end at the number of rows, and so does what computes every other row.
func.func public @main(%x: tensor<?x24xf32> loc("x"), %w: tensor<24x16xf32> loc("w")) -> (tensor<24x16xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>, tensor<?x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<?x24xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x24xf32>, tensor<24x16xf32>) -> tensor<?x16xf32>
  %h = stablehlo.cosine %y : tensor<?x16xf32>
  %product = stablehlo.dot_general %e, %h, contracting_dims = [0] x [0] : (tensor<?x24xf32>, tensor<?x16xf32>) -> tensor<24x16xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x24xf32>, tensor<f32>) -> tensor<24xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<?x24xf32>, tensor<f32>) -> tensor<24xf32>
  %min = stablehlo.reduce(%e init: %high) applies stablehlo.minimum across dimensions = [0] : (tensor<?x24xf32>, tensor<f32>) -> tensor<24xf32>
  %all = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x16xf32>, tensor<f32>) -> tensor<f32>
  %pool = "stablehlo.reduce_window"(%e, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?x24xf32>, tensor<f32>) -> tensor<?x24xf32>
  %other = stablehlo.dot_general %pool, %w, contracting_dims = [1] x [0] : (tensor<?x24xf32>, tensor<24x16xf32>) -> tensor<?x16xf32>
  return %product, %sum, %max, %min, %all, %other : tensor<24x16xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>, tensor<?x16xf32>
}
