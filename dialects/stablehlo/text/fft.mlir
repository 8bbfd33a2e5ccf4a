// Fourier transforms. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<4x8xf32>, %arg1: tensor<4x5xcomplex<f32>>) {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
    %1 = stablehlo.fft %arg1, type = IFFT, length = [4, 5] : (tensor<4x5xcomplex<f32>>) -> tensor<4x5xcomplex<f32>>
    return
  }
}
