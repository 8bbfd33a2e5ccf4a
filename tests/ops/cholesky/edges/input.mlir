// ulp: 0
func.func public @main(%x: tensor<0x0xf32>, %y: tensor<2x0x0xcomplex<f64>>) -> (tensor<0x0xf32>, tensor<1x1xf16>, tensor<2x0x0xcomplex<f64>>) {
  %c = stablehlo.constant dense<6.25> : tensor<1x1xf16>
  %0 = stablehlo.cholesky %x, lower = true : tensor<0x0xf32>
  %1 = stablehlo.cholesky %c : tensor<1x1xf16>
  %2 = stablehlo.cholesky %y : tensor<2x0x0xcomplex<f64>>
  return %0, %1, %2 : tensor<0x0xf32>, tensor<1x1xf16>, tensor<2x0x0xcomplex<f64>>
}
