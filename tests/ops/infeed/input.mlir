func.func public @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<2x3xf32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %0:3 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [[0], [0, 1]]}
    : (!stablehlo.token) -> (tensor<5xf32>, tensor<2x3xf32>, !stablehlo.token)
  %1 = stablehlo.add %x, %0#0 : tensor<5xf32>
  return %1, %0#1 : tensor<5xf32>, tensor<2x3xf32>
}
