// range: -100 100
func.func public @main(%x: tensor<2x4xi32>) -> (tensor<2x3xcomplex<f64>>, tensor<2x4xf64>) {
  %0 = stablehlo.convert %x : (tensor<2x4xi32>) -> tensor<2x4xf64>
  %1 = stablehlo.fft %0, type = RFFT, length = [4] : (tensor<2x4xf64>) -> tensor<2x3xcomplex<f64>>
  %2 = stablehlo.fft %1, type = IRFFT, length = [4] : (tensor<2x3xcomplex<f64>>) -> tensor<2x4xf64>
  return %1, %2 : tensor<2x3xcomplex<f64>>, tensor<2x4xf64>
}
