func.func public @main(%x: tensor<61xf32>) -> (tensor<61xi2>, tensor<61xui2>, tensor<61xi4>, tensor<61xui4>) {
  %0 = stablehlo.convert %x : (tensor<61xf32>) -> tensor<61xi2>
  %1 = stablehlo.convert %x : (tensor<61xf32>) -> tensor<61xui2>
  %2 = stablehlo.convert %x : (tensor<61xf32>) -> tensor<61xi4>
  %3 = stablehlo.convert %x : (tensor<61xf32>) -> tensor<61xui4>
  return %0, %1, %2, %3 : tensor<61xi2>, tensor<61xui2>, tensor<61xi4>, tensor<61xui4>
}
