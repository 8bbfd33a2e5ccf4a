func.func public @main(%x: tensor<5xi8>) -> (tensor<5xi8>, tensor<3xf16>) {
  %t = stablehlo.create_token : !stablehlo.token
  %0:3 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 8, type = 3>,
    is_host_transfer = true} : (!stablehlo.token) -> (tensor<5xi8>, tensor<3xf16>, !stablehlo.token)
  %1 = stablehlo.subtract %x, %0#0 : tensor<5xi8>
  return %1, %0#1 : tensor<5xi8>, tensor<3xf16>
}
