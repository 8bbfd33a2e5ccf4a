// A layer whose weights are inputs: `weights` and `bias` are marked, and laid out once.
module @layer {
  func.func public @main(%arg0: tensor<3x65xf32> loc("x"), %arg1: tensor<65x131xf32> {strata.prepare} loc("weights"),
      %arg2: tensor<131xf32> {strata.prepare} loc("bias")) -> tensor<3x131xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
      : (tensor<3x65xf32>, tensor<65x131xf32>) -> tensor<3x131xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<131xf32>) -> tensor<3x131xf32>
    %2 = stablehlo.add %0, %1 : tensor<3x131xf32>
    return %2 : tensor<3x131xf32>
  }
}
