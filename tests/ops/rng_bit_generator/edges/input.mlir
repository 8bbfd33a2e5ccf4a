func.func public @main(%key: tensor<2xui64>) -> (tensor<ui32>, tensor<0x3xui64>, tensor<ui8>, tensor<2xui64>) {
  %s, %0 = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui32>)
  %t, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<0x3xui64>)
  %u, %2 = stablehlo.rng_bit_generator %t, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui8>)
  return %0, %1, %2, %u : tensor<ui32>, tensor<0x3xui64>, tensor<ui8>, tensor<2xui64>
}
