func.func public @main() -> (tensor<5xi4>, tensor<0x3xf32>, tensor<3x5xf8E4M3FN>, tensor<3xcomplex<f64>>) {
  %r0 = stablehlo.iota dim = 0 : tensor<5xi4>
  %r1 = stablehlo.iota dim = 1 : tensor<0x3xf32>
  %r2 = stablehlo.iota dim = 1 : tensor<3x5xf8E4M3FN>
  %r3 = stablehlo.iota dim = 0 : tensor<3xcomplex<f64>>
  return %r0, %r1, %r2, %r3 : tensor<5xi4>, tensor<0x3xf32>, tensor<3x5xf8E4M3FN>, tensor<3xcomplex<f64>>
}
