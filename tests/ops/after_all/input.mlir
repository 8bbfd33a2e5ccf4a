func.func public @main(%t: !stablehlo.token, %x: tensor<3xi32>) -> (!stablehlo.token, tensor<3xi32>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = "stablehlo.outfeed"(%x, %0) {outfeed_config = ""} : (tensor<3xi32>, !stablehlo.token) -> !stablehlo.token
  %2 = stablehlo.after_all %t, %1 : !stablehlo.token
  %3 = stablehlo.add %x, %x : tensor<3xi32>
  return %2, %3 : !stablehlo.token, tensor<3xi32>
}
