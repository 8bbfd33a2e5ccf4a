// mixes: x.0 dimension 1 of an output has them, not the outermost
func.func public @main(%x: tensor<?x4xf32> loc("x")) -> tensor<4x?xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
