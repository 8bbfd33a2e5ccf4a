// states, seed 18479, rescheduled:
// No rule to split a `vector.shuffle` that MLIR makes of a transposed tile.
module {
  func.func public @main(%arg0: tensor<17x17xi32>) -> tensor<17x17xi32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<17x17xi32>) -> tensor<17x17xi32>
    return %0 : tensor<17x17xi32>
  }
}
