// range: -100 100
func.func public @main(%x: tensor<3x4x4xi32>) -> tensor<3x4x4xcomplex<f32>> {
  %re = stablehlo.convert %x : (tensor<3x4x4xi32>) -> tensor<3x4x4xf32>
  %im = stablehlo.negate %re : tensor<3x4x4xf32>
  %0 = stablehlo.complex %re, %im : tensor<3x4x4xcomplex<f32>>
  %1 = stablehlo.fft %0, type = FFT, length = [4, 4] : (tensor<3x4x4xcomplex<f32>>) -> tensor<3x4x4xcomplex<f32>>
  return %1 : tensor<3x4x4xcomplex<f32>>
}
