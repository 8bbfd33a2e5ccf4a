// mixes: x.0 each row meets all others
func.func public @main(%x: tensor<?x4xf32> loc("x")) -> tensor<?x?xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
