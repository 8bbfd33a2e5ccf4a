func.func public @main(%x: tensor<3xbf16>) -> (tensor<3xbf16>, tensor<2x3xi8>) {
  %t = stablehlo.create_token : !stablehlo.token
  %0:3 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [[0], [0, 1]]}
    : (!stablehlo.token) -> (tensor<3xbf16>, tensor<2x3xi8>, !stablehlo.token)
  %1 = stablehlo.add %x, %0#0 : tensor<3xbf16>
  return %1, %0#1 : tensor<3xbf16>, tensor<2x3xi8>
}
