// plain
// ulp: 4
func.func public @main(%x: tensor<f64>, %y: tensor<f64>, %a: tensor<0x3xf32>) -> (tensor<complex<f64>>, tensor<0x3xcomplex<f32>>) {
  %0 = stablehlo.complex %x, %y : tensor<complex<f64>>
  %1 = stablehlo.complex %a, %a : tensor<0x3xcomplex<f32>>
  return %0, %1 : tensor<complex<f64>>, tensor<0x3xcomplex<f32>>
}
