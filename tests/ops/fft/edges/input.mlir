// range: -100 100
// plain
func.func public @main(%x: tensor<0x4xcomplex<f32>>, %y: tensor<1xcomplex<f64>>, %z: tensor<3x1xf32>) -> (tensor<0x4xcomplex<f32>>, tensor<1xcomplex<f64>>, tensor<3x1xcomplex<f32>>) {
  %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<0x4xcomplex<f32>>) -> tensor<0x4xcomplex<f32>>
  %1 = stablehlo.fft %y, type = IFFT, length = [1] : (tensor<1xcomplex<f64>>) -> tensor<1xcomplex<f64>>
  %2 = stablehlo.fft %z, type = RFFT, length = [1] : (tensor<3x1xf32>) -> tensor<3x1xcomplex<f32>>
  return %0, %1, %2 : tensor<0x4xcomplex<f32>>, tensor<1xcomplex<f64>>, tensor<3x1xcomplex<f32>>
}
