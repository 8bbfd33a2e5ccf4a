func.func public @main(%x: tensor<61xi64>) -> (tensor<61xi2>, tensor<61xui4>, tensor<61xf8E8M0FNU>, tensor<61xf8E5M2>, tensor<61xbf16>) {
  %0 = stablehlo.convert %x : (tensor<61xi64>) -> tensor<61xi2>
  %1 = stablehlo.convert %x : (tensor<61xi64>) -> tensor<61xui4>
  %2 = stablehlo.convert %x : (tensor<61xi64>) -> tensor<61xf8E8M0FNU>
  %3 = stablehlo.convert %x : (tensor<61xi64>) -> tensor<61xf8E5M2>
  %4 = stablehlo.convert %x : (tensor<61xi64>) -> tensor<61xbf16>
  return %0, %1, %2, %3, %4 : tensor<61xi2>, tensor<61xui4>, tensor<61xf8E8M0FNU>, tensor<61xf8E5M2>, tensor<61xbf16>
}
