// dot_general, seed 101, native:
// Wild inputs: output 0 is Worst { distance: 18446744073709551615, index: [2, 0, 3, 4], actual: Float(-inf), expected: Float(NaN) }
module {
  func.func public @main(%arg0: tensor<5x5x5x5xf64>, %arg1: tensor<5x5x5x5xf64>) -> tensor<5x5x5x5xf64> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [2, 3], contracting_dims = [2] x [1] : (tensor<5x5x5x5xf64>, tensor<5x5x5x5xf64>) -> tensor<5x5x5x5xf64>
    return %0 : tensor<5x5x5x5xf64>
  }
}
