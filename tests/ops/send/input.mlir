func.func public @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>,
    is_host_transfer = true} : (tensor<5xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<5xf32>
}
