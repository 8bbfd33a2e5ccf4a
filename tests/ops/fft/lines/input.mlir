// plain
// rms: 1e-6
func.func public @main(%a: tensor<3x60xcomplex<f32>>, %b: tensor<2x256xcomplex<f32>>, %c: tensor<2x512xf32>, %d: tensor<257xcomplex<f32>>)
    -> (tensor<3x60xcomplex<f32>>, tensor<2x256xcomplex<f32>>, tensor<2x257xcomplex<f32>>, tensor<512xf32>) {
  %0 = stablehlo.fft %a, type = FFT, length = [60] : (tensor<3x60xcomplex<f32>>) -> tensor<3x60xcomplex<f32>>
  %1 = stablehlo.fft %b, type = IFFT, length = [256] : (tensor<2x256xcomplex<f32>>) -> tensor<2x256xcomplex<f32>>
  %2 = stablehlo.fft %c, type = RFFT, length = [512] : (tensor<2x512xf32>) -> tensor<2x257xcomplex<f32>>
  %3 = stablehlo.fft %d, type = IRFFT, length = [512] : (tensor<257xcomplex<f32>>) -> tensor<512xf32>
  return %0, %1, %2, %3 : tensor<3x60xcomplex<f32>>, tensor<2x256xcomplex<f32>>, tensor<2x257xcomplex<f32>>, tensor<512xf32>
}
