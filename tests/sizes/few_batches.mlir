// sizes: x.0=2,x.1=5
// every: x.0=8,x.1=9
// open: x.0=7 x.1=37
// Sums along the rows of each of a few batches, and products with a matrix: a bound that one tile of rows would hold.
func.func public @main(%x: tensor<?x?x20xf32> loc("x"), %w: tensor<20x20xf32> loc("w")) -> (tensor<?x20xf32>, tensor<?x20xf32>) {
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %f0) applies stablehlo.add across dimensions = [1] : (tensor<?x?x20xf32>, tensor<f32>) -> tensor<?x20xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<?x20xf32>, tensor<20x20xf32>) -> tensor<?x20xf32>
  return %0, %1 : tensor<?x20xf32>, tensor<?x20xf32>
}
