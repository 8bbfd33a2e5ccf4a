// Host transfers. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<3x4xf32>, %arg1: !stablehlo.token) {
    %0:2 = "stablehlo.infeed"(%arg1) <{infeed_config = "c", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<3x4xf32>, !stablehlo.token)
    %1 = "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = ""}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
    %2:2 = "stablehlo.recv"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    %3 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x4xf32>, !stablehlo.token) -> !stablehlo.token
    return
  }
}
