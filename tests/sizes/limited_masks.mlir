// sizes: x.0=5
// open: x.0=40
// Masked copies of rows that are shorter than a vector, which have no schedule: they end with the sums that read them.
func.func public @main(%x: tensor<?x5xf32> loc("x"), %y: tensor<?x32xf32>) -> tensor<5x32xf32> {
  %0 = stablehlo.exponential %x : tensor<?x5xf32>
  %1 = stablehlo.cosine %y : tensor<?x32xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<?x5xf32>, tensor<?x32xf32>) -> tensor<5x32xf32>
  return %2 : tensor<5x32xf32>
}
