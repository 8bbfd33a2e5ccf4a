func.func public @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = call @layer(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @layer(%x: tensor<4x8xf32> {jax.arg_info = "a(b"}) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<8xf32>
  return %x, %c : tensor<4x8xf32>, tensor<8xf32>
}
