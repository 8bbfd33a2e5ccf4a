func.func public @main(%x0_0: tensor<f64>, %x1_0: tensor<i8>, %x2_0: tensor<0x2xbf16>) -> (tensor<i64>, tensor<2xi4>, tensor<0xf32>) {
  %r0 = stablehlo.bitcast_convert %x0_0 : (tensor<f64>) -> tensor<i64>
  %r1 = stablehlo.bitcast_convert %x1_0 : (tensor<i8>) -> tensor<2xi4>
  %r2 = stablehlo.bitcast_convert %x2_0 : (tensor<0x2xbf16>) -> tensor<0xf32>
  return %r0, %r1, %r2 : tensor<i64>, tensor<2xi4>, tensor<0xf32>
}
