func.func public @main(%x: tensor<5xf32>, %i: tensor<i8>) -> tensor<5xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = stablehlo.negate %x : tensor<5xf32>
  %1 = "stablehlo.outfeed"(%0, %i, %t) {outfeed_config = "host"}
    : (tensor<5xf32>, tensor<i8>, !stablehlo.token) -> !stablehlo.token
  return %0 : tensor<5xf32>
}
