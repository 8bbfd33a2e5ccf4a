// ulp: 4
// plain
func.func public @main(%x0: tensor<complex<f64>>, %x1: tensor<0x3xcomplex<f32>>) -> (tensor<complex<f64>>, tensor<0x3xcomplex<f32>>) {
  %0 = chlo._asin_acos_kernel %x0 : tensor<complex<f64>> -> tensor<complex<f64>>
  %1 = chlo._asin_acos_kernel %x1 : tensor<0x3xcomplex<f32>> -> tensor<0x3xcomplex<f32>>
  return %0, %1 : tensor<complex<f64>>, tensor<0x3xcomplex<f32>>
}
