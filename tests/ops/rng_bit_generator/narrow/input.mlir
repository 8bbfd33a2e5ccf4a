func.func public @main(%key: tensor<2xui64>)
    -> (tensor<2xui64>, tensor<5xi2>, tensor<5xui2>, tensor<5xi4>, tensor<5xui4>, tensor<5xf4E2M1FN>, tensor<5xf6E3M2FN>, tensor<5xf8E5M2>, tensor<5xf8E4M3FNUZ>, tensor<5xf16>, tensor<5xbf16>, tensor<5xi16>, tensor<5xf64>) {
  %s0, %b0 = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xi2>)
  %s1, %b1 = stablehlo.rng_bit_generator %s0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui2>)
  %s2, %b2 = stablehlo.rng_bit_generator %s1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xi4>)
  %s3, %b3 = stablehlo.rng_bit_generator %s2, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui4>)
  %s4, %b4 = stablehlo.rng_bit_generator %s3, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf4E2M1FN>)
  %s5, %b5 = stablehlo.rng_bit_generator %s4, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf6E3M2FN>)
  %s6, %b6 = stablehlo.rng_bit_generator %s5, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf8E5M2>)
  %s7, %b7 = stablehlo.rng_bit_generator %s6, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf8E4M3FNUZ>)
  %s8, %b8 = stablehlo.rng_bit_generator %s7, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf16>)
  %s9, %b9 = stablehlo.rng_bit_generator %s8, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xbf16>)
  %s10, %b10 = stablehlo.rng_bit_generator %s9, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xi16>)
  %s11, %b11 = stablehlo.rng_bit_generator %s10, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xf64>)
  return %s11, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %b9, %b10, %b11
    : tensor<2xui64>, tensor<5xi2>, tensor<5xui2>, tensor<5xi4>, tensor<5xui4>, tensor<5xf4E2M1FN>, tensor<5xf6E3M2FN>, tensor<5xf8E5M2>, tensor<5xf8E4M3FNUZ>, tensor<5xf16>, tensor<5xbf16>, tensor<5xi16>, tensor<5xf64>
}
