func.func public @main(%x: tensor<3xf32>) -> tensor<3xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
