// sizes: x.0=4
// open: x.0=700
// A dot whose left operand is read in blocks of rows: of the last one only the rows of the call are computed.
func.func public @main(%x: tensor<?x1536xf32> loc("x"), %w: tensor<1536x72xf32>) -> tensor<?x72xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x1536xf32>, tensor<1536x72xf32>) -> tensor<?x72xf32>
  %1 = stablehlo.tanh %0 : tensor<?x72xf32>
  return %1 : tensor<?x72xf32>
}
