// dot_general, seed 620, native:
// Wild inputs: output 0 is Worst { distance: 18446744073709551615, index: [0, 5, 0, 2], actual: Float(-inf), expected: Float(NaN) }
module {
  func.func public @main(%arg0: tensor<6x6x5x5x5xbf16>, %arg1: tensor<6x6x5x5x4xbf16>) -> tensor<6x6x5x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [0, 1], contracting_dims = [2, 3] x [2, 3] : (tensor<6x6x5x5x5xbf16>, tensor<6x6x5x5x4xbf16>) -> tensor<6x6x5x4xf32>
    return %0 : tensor<6x6x5x4xf32>
  }
}
