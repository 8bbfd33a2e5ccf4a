func.func public @main(%x0_0: tensor<1x1xui4>, %x1_0: tensor<3x5xf8E4M3FN>, %x2_0: tensor<0x3xi64>) -> (tensor<ui4>, tensor<5x1x3xf8E4M3FN>, tensor<5x0xi64>) {
  %r0 = stablehlo.reshape %x0_0 : (tensor<1x1xui4>) -> tensor<ui4>
  %r1 = stablehlo.reshape %x1_0 : (tensor<3x5xf8E4M3FN>) -> tensor<5x1x3xf8E4M3FN>
  %r2 = stablehlo.reshape %x2_0 : (tensor<0x3xi64>) -> tensor<5x0xi64>
  return %r0, %r1, %r2 : tensor<ui4>, tensor<5x1x3xf8E4M3FN>, tensor<5x0xi64>
}
