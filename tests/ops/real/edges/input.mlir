func.func public @main(%x0: tensor<complex<f64>>, %x1: tensor<0x3xcomplex<f32>>) -> (tensor<f64>, tensor<0x3xf32>) {
  %0 = stablehlo.real %x0 : (tensor<complex<f64>>) -> tensor<f64>
  %1 = stablehlo.real %x1 : (tensor<0x3xcomplex<f32>>) -> tensor<0x3xf32>
  return %0, %1 : tensor<f64>, tensor<0x3xf32>
}
