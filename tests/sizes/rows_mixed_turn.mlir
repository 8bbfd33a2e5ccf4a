// mixes: x.0 it reverses the rows
func.func public @main(%x: tensor<?x4xf32> loc("x")) -> tensor<?x4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
