func.func public @main(%key: tensor<6xui32>) -> (tensor<6xui32>, tensor<7xui8>, tensor<3xui64>) {
  %state, %bytes = stablehlo.rng_bit_generator %key, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<7xui8>)
  %last, %words = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<6xui32>) -> (tensor<6xui32>, tensor<3xui64>)
  return %last, %bytes, %words : tensor<6xui32>, tensor<7xui8>, tensor<3xui64>
}
