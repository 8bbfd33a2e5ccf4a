func.func public @main() -> (tensor<i4>, tensor<0x3xf64>, tensor<3xf8E5M2>, tensor<complex<f32>>) {
  %r0 = stablehlo.constant dense<-8> : tensor<i4>
  %r1 = stablehlo.constant dense<> : tensor<0x3xf64>
  %r2 = stablehlo.constant dense<[1.0, -0.25, 0x7C]> : tensor<3xf8E5M2>
  %r3 = stablehlo.constant dense<(1.0, -2.0)> : tensor<complex<f32>>
  return %r0, %r1, %r2, %r3 : tensor<i4>, tensor<0x3xf64>, tensor<3xf8E5M2>, tensor<complex<f32>>
}
