func.func public @main(%x: tensor<3xf32>, %y: tensor<3x4xui8>) -> (tensor<3x4xui8>, tensor<3xf32>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3x4xui8>
  %1 = stablehlo.bitcast_convert %y : (tensor<3x4xui8>) -> tensor<3xf32>
  return %0, %1 : tensor<3x4xui8>, tensor<3xf32>
}
