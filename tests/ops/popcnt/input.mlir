func.func public @main(%x: tensor<3xui16>) -> tensor<3xui16> {
  %0 = stablehlo.popcnt %x : tensor<3xui16>
  return %0 : tensor<3xui16>
}
