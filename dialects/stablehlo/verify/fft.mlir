// Programs that the verifier rejects, one or more for each constraint of the
// fft family. The comment above a program names the constraint.

// fft_c1
func.func @test(%a: tensor<4xcomplex<f32>>) {
  // expected-error@+2 {{expected an operand of rank 2 or more, found 'tensor<4xcomplex<f32>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.fft %a, type = FFT, length = [4, 4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// fft_c2
func.func @test(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected an operand of complex elements for FFT, found 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.fft %a, type = FFT, length = [4] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fft_c3
func.func @test(%a: tensor<4xcomplex<f32>>) {
  // expected-error@+2 {{expected fft_length of 1 to 3 entries, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.fft %a, type = FFT, length = [] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// fft_c4
func.func @test(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected dimension 0 of the operand to be 5, found 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.fft %a, type = RFFT, length = [5] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

// fft_c5
func.func @test(%a: tensor<4xcomplex<f32>>) {
  // expected-error@+2 {{expected dimension 0 of the operand to be 3, found 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.fft %a, type = IRFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return
}

// -----

// fft_c5
func.func @test(%a: tensor<4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<4xcomplex<f32>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}
