func.func public @main(%x: tensor<3xi32>) -> (tensor<3xi32>, !stablehlo.token) {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = "stablehlo.outfeed"(%x, %0) {outfeed_config = ""} : (tensor<3xi32>, !stablehlo.token) -> !stablehlo.token
  %2 = stablehlo.after_all %t, %1 : !stablehlo.token
  %3 = stablehlo.add %x, %x : tensor<3xi32>
  return %3, %2 : tensor<3xi32>, !stablehlo.token
}
