// plain
// absolute: 1e-11
func.func public @main(%a: tensor<2x37x3xcomplex<f64>>, %b: tensor<7x31xcomplex<f64>>, %c: tensor<3x9xf64>, %d: tensor<2x3x5xcomplex<f64>>, %e: tensor<1xcomplex<f64>>)
    -> (tensor<2x37x3xcomplex<f64>>, tensor<7x31xcomplex<f64>>, tensor<3x5xcomplex<f64>>, tensor<2x3x9xf64>, tensor<1xcomplex<f64>>) {
  %0 = stablehlo.fft %a, type = FFT, length = [37, 3] : (tensor<2x37x3xcomplex<f64>>) -> tensor<2x37x3xcomplex<f64>>
  %1 = stablehlo.fft %b, type = IFFT, length = [31] : (tensor<7x31xcomplex<f64>>) -> tensor<7x31xcomplex<f64>>
  %2 = stablehlo.fft %c, type = RFFT, length = [9] : (tensor<3x9xf64>) -> tensor<3x5xcomplex<f64>>
  %3 = stablehlo.fft %d, type = IRFFT, length = [2, 3, 9] : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x9xf64>
  %4 = stablehlo.fft %e, type = FFT, length = [1] : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  return %0, %1, %2, %3, %4 : tensor<2x37x3xcomplex<f64>>, tensor<7x31xcomplex<f64>>, tensor<3x5xcomplex<f64>>, tensor<2x3x9xf64>, tensor<1xcomplex<f64>>
}
