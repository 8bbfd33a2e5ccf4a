// sizes: x.0=2,x.2=5
// open: x.0=4,x.2=9
// The largest three of each line, of which there are that many at least, beside a number of rows.
func.func public @main(%x: tensor<?x2x?xf32> loc("x")) -> (tensor<?x2x3xf32>, tensor<?x2x3xi32>) {
  %v, %i = chlo.top_k(%x, k = 3) : tensor<?x2x?xf32> -> (tensor<?x2x3xf32>, tensor<?x2x3xi32>)
  return %v, %i : tensor<?x2x3xf32>, tensor<?x2x3xi32>
}
