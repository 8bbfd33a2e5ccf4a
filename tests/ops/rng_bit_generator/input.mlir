func.func public @main(%key: tensor<2xui64>) -> (tensor<2xui64>, tensor<5x3xui32>) {
  %state, %bits = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x3xui32>)
  return %state, %bits : tensor<2xui64>, tensor<5x3xui32>
}
