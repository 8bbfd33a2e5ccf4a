func.func public @main(%x0_0: tensor<f32>, %x1_0: tensor<0xbf16>, %x2_0: tensor<5xf8E5M2>) -> (tensor<f32>, tensor<0xbf16>, tensor<5xf8E5M2>) {
  %r0 = stablehlo.reduce_precision %x0_0, format = e4m10 : tensor<f32>
  %r1 = stablehlo.reduce_precision %x1_0, format = e8m0 : tensor<0xbf16>
  %r2 = stablehlo.reduce_precision %x2_0, format = e3m1 : tensor<5xf8E5M2>
  return %r0, %r1, %r2 : tensor<f32>, tensor<0xbf16>, tensor<5xf8E5M2>
}
