// open: x.0=2 x.1=130
// Products of the rows of a sequence with each other: rows and columns of a tile end at the same size, in code for the bounds only.
func.func public @main(%x: tensor<?x?x24xf32> loc("x")) -> (tensor<?x?x?xf32>, tensor<?x?x24xf32>) {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<?x?x24xf32>, tensor<?x?x24xf32>) -> tensor<?x?x?xf32>
  %1 = stablehlo.dot_general %0, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x?x?xf32>, tensor<?x?x24xf32>) -> tensor<?x?x24xf32>
  return %0, %1 : tensor<?x?x?xf32>, tensor<?x?x24xf32>
}
