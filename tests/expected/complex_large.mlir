// A part of a product is infinite only where it is too large itself, not where a product of two parts is. Infinity less a number is infinity.
func.func @products_of_large_parts_f32() {
  %x = stablehlo.constant dense<[(0x5F800000, 0x5F800000), (0x5F800000, 0x5F800000), (0x5F800000, 0x5F800000), (0xDF800000, 0xDF800000), (0x7F000000, 0x7F000000), (0x5F400000, 0x5EA00000), (0x7F7FFFFF, 0x7F7FFFFF), (0x7F800000, 0x5F800000), (0x7F800000, 0x7F800000), (0x7F800000, 0x3F800000), (0x7FC00000, 0x3F800000)]> : tensor<11xcomplex<f32>>
  %y = stablehlo.constant dense<[(0x5F800000, 0x5F000000), (0x5F800000, 0x5F800000), (0x5F800000, 0xDF800000), (0x5F800000, 0x5F000000), (0x40200000, 0x40000000), (0x5FC00000, 0x5F200000), (0x7F7FFFFF, 0x7F7FFFFF), (0x00000001, 0x5F800000), (0x3F800000, 0x3F800000), (0x3F800000, 0x00000000), (0x3F800000, 0x3F800000)]> : tensor<11xcomplex<f32>>
  %0 = stablehlo.multiply %x, %y : tensor<11xcomplex<f32>>
  check.expect_eq_const %0, dense<[(0x7F000000, 0x7F800000), (0x00000000, 0x7F800000), (0x7F800000, 0x00000000), (0xFF000000, 0xFF800000), (0x7E800000, 0x7F800000), (0x7F6E0000, 0x7F700000), (0x00000000, 0x7F800000), (0x7F800000, 0x7F800000), (0x7FC00000, 0x7F800000), (0x7F800000, 0x7FC00000), (0x7FC00000, 0x7FC00000)]> : tensor<11xcomplex<f32>>
  %1 = stablehlo.multiply %y, %x : tensor<11xcomplex<f32>>
  check.expect_eq_const %1, dense<[(0x7F000000, 0x7F800000), (0x00000000, 0x7F800000), (0x7F800000, 0x00000000), (0xFF000000, 0xFF800000), (0x7E800000, 0x7F800000), (0x7F6E0000, 0x7F700000), (0x00000000, 0x7F800000), (0x7F800000, 0x7F800000), (0x7FC00000, 0x7F800000), (0x7F800000, 0x7FC00000), (0x7FC00000, 0x7FC00000)]> : tensor<11xcomplex<f32>>
  return
}

// -----

func.func @a_reduction_that_multiplies_f32() {
  %x = stablehlo.constant dense<[[(0x5F400000, 0x5EA00000), (0x5FC00000, 0x5F200000)], [(0x5F400000, 0xDEA00000), (0x5FC00000, 0xDF200000)], [(0xDF400000, 0xDEA00000), (0x5FC00000, 0x5F200000)]]> : tensor<3x2xcomplex<f32>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
  check.expect_eq_const %0, dense<[(0x7F6E0000, 0x7F700000), (0x7F6E0000, 0xFF700000), (0xFF6E0000, 0xFF700000)]> : tensor<3xcomplex<f32>>
  return
}

// -----

// Neither do squares of parts overflow or vanish in a quotient, a modulus, a square or its root.
func.func @quotients_of_large_parts_f32() {
  %x = stablehlo.constant dense<[(0x7F400000, 0x7EA00000), (0x7F6E0000, 0x7F700000), (0x7F000000, 0x7F000000), (0x7F000000, 0x00000000), (0x3F800000, 0x3F800000), (0x00000001, 0x00000001)]> : tensor<6xcomplex<f32>>
  %y = stablehlo.constant dense<[(0x7F400000, 0x7EA00000), (0x5FC00000, 0x5F200000), (0x7F000000, 0xFF000000), (0x3F000000, 0x3F000000), (0x7F000000, 0x7F000000), (0x00000001, 0x00000001)]> : tensor<6xcomplex<f32>>
  %0 = stablehlo.divide %x, %y : tensor<6xcomplex<f32>>
  check.expect_eq_const %0, dense<[(0x3F800000, 0x00000000), (0x5F400000, 0x5EA00000), (0x00000000, 0x3F800000), (0x7F000000, 0xFF000000), (0x00400000, 0x00000000), (0x3F800000, 0x00000000)]> : tensor<6xcomplex<f32>>
  return
}

// -----

func.func @moduli_and_squares_of_large_parts_f32() {
  %x = stablehlo.constant dense<[(0x7EC00000, 0x7F000000), (0x5F800000, 0x5F800000), (0x5F400000, 0x5EA00000)]> : tensor<3xcomplex<f32>>
  %0 = stablehlo.abs %x : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %1 = stablehlo.slice %0 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
  check.expect_eq_const %1, dense<0x7F200000> : tensor<1xf32>
  %2 = chlo.square %x : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
  check.expect_eq_const %2, dense<[(0xFF800000, 0x7F800000), (0x00000000, 0x7F800000), (0x7EEE0000, 0x7EF00000)]> : tensor<3xcomplex<f32>>
  return
}

// -----

// Pivots whose squares overflow; of complex<f32> also products of large parts.
func.func @a_triangular_system_of_large_numbers_f32() {
  %a = stablehlo.constant dense<[[(0x3F800000, 0x00000000), (0x00000000, 0x00000000)], [(0x5F400000, 0x5EA00000), (0x3F800000, 0x00000000)]]> : tensor<2x2xcomplex<f32>>
  %b = stablehlo.constant dense<[[(0x5FC00000, 0x5F200000)], [(0x00000000, 0x00000000)]]> : tensor<2x1xcomplex<f32>>
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xcomplex<f32>>, tensor<2x1xcomplex<f32>>) -> tensor<2x1xcomplex<f32>>
  check.expect_eq_const %0, dense<[[(0x5FC00000, 0x5F200000)], [(0xFF6E0000, 0xFF700000)]]> : tensor<2x1xcomplex<f32>>
  return
}

// -----

func.func @pivots_with_large_squares_f32() {
  %a = stablehlo.constant dense<[[(0x7DC00000, 0x7D200000), (0x00000000, 0x00000000)], [(0x00000000, 0x00000000), (0x7D200000, 0x7DC00000)]]> : tensor<2x2xcomplex<f32>>
  %b = stablehlo.constant dense<[[(0x7DC00000, 0x7D200000)], [(0x7DC00000, 0xFD200000)]]> : tensor<2x1xcomplex<f32>>
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xcomplex<f32>>, tensor<2x1xcomplex<f32>>) -> tensor<2x1xcomplex<f32>>
  check.expect_eq_const %0, dense<[[(0x3F800000, 0x00000000)], [(0x00000000, 0xBF800000)]]> : tensor<2x1xcomplex<f32>>
  return
}

// -----

// The transform of an impulse is as large everywhere, whatever the algorithm for its length.
func.func @a_large_impulse_fft_37_f32() {
  %x = stablehlo.constant dense<(0x7F400000, 0x00000000)> : tensor<1xcomplex<f32>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %impulse = stablehlo.pad %x, %zero, low = [0], high = [36], interior = [0] : (tensor<1xcomplex<f32>>, tensor<complex<f32>>) -> tensor<37xcomplex<f32>>
  %0 = stablehlo.fft %impulse, type = FFT, length = [37] : (tensor<37xcomplex<f32>>) -> tensor<37xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<37xcomplex<f32>>) -> tensor<37xf32>
  %2 = stablehlo.constant dense<0x00400000> : tensor<37xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<37xf32>
  check.expect_almost_eq_const %3, dense<1.5> : tensor<37xf32> {tolerance = 1.0e-5 : f64}
  return
}

// -----

func.func @a_large_impulse_ifft_41_f32() {
  %x = stablehlo.constant dense<(0x7F400000, 0x00000000)> : tensor<1xcomplex<f32>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %impulse = stablehlo.pad %x, %zero, low = [0], high = [40], interior = [0] : (tensor<1xcomplex<f32>>, tensor<complex<f32>>) -> tensor<41xcomplex<f32>>
  %0 = stablehlo.fft %impulse, type = IFFT, length = [41] : (tensor<41xcomplex<f32>>) -> tensor<41xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<41xcomplex<f32>>) -> tensor<41xf32>
  %2 = stablehlo.constant dense<0x00400000> : tensor<41xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<41xf32>
  %n = stablehlo.constant dense<41.0> : tensor<41xf32>
  %4 = stablehlo.multiply %3, %n : tensor<41xf32>
  check.expect_almost_eq_const %4, dense<1.5> : tensor<41xf32> {tolerance = 1.0e-5 : f64}
  return
}

// -----

func.func @a_large_impulse_fft_64_f32() {
  %x = stablehlo.constant dense<(0x7F400000, 0x00000000)> : tensor<1xcomplex<f32>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %impulse = stablehlo.pad %x, %zero, low = [0], high = [63], interior = [0] : (tensor<1xcomplex<f32>>, tensor<complex<f32>>) -> tensor<64xcomplex<f32>>
  %0 = stablehlo.fft %impulse, type = FFT, length = [64] : (tensor<64xcomplex<f32>>) -> tensor<64xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<64xcomplex<f32>>) -> tensor<64xf32>
  %2 = stablehlo.constant dense<0x00400000> : tensor<64xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<64xf32>
  check.expect_almost_eq_const %3, dense<1.5> : tensor<64xf32> {tolerance = 1.0e-5 : f64}
  return
}

// -----

func.func @a_large_impulse_rfft_128_f32() {
  %x = stablehlo.constant dense<0x7F400000> : tensor<1xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %impulse = stablehlo.pad %x, %zero, low = [0], high = [127], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<128xf32>
  %0 = stablehlo.fft %impulse, type = RFFT, length = [128] : (tensor<128xf32>) -> tensor<65xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<65xcomplex<f32>>) -> tensor<65xf32>
  %2 = stablehlo.constant dense<0x00400000> : tensor<65xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<65xf32>
  check.expect_almost_eq_const %3, dense<1.5> : tensor<65xf32> {tolerance = 1.0e-5 : f64}
  return
}

// -----

func.func @products_of_large_parts_f64() {
  %x = stablehlo.constant dense<[(0x5FF0000000000000, 0x5FF0000000000000), (0x5FF0000000000000, 0x5FF0000000000000), (0x5FF0000000000000, 0x5FF0000000000000), (0xDFF0000000000000, 0xDFF0000000000000), (0x7FE0000000000000, 0x7FE0000000000000), (0x5FE8000000000000, 0x5FD4000000000000), (0x7FEFFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF), (0x7FF0000000000000, 0x5FF0000000000000), (0x7FF0000000000000, 0x7FF0000000000000), (0x7FF0000000000000, 0x3FF0000000000000), (0x7FF8000000000000, 0x3FF0000000000000)]> : tensor<11xcomplex<f64>>
  %y = stablehlo.constant dense<[(0x5FF0000000000000, 0x5FE0000000000000), (0x5FF0000000000000, 0x5FF0000000000000), (0x5FF0000000000000, 0xDFF0000000000000), (0x5FF0000000000000, 0x5FE0000000000000), (0x4004000000000000, 0x4000000000000000), (0x5FF8000000000000, 0x5FE4000000000000), (0x7FEFFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF), (0x0000000000000001, 0x5FF0000000000000), (0x3FF0000000000000, 0x3FF0000000000000), (0x3FF0000000000000, 0x0000000000000000), (0x3FF0000000000000, 0x3FF0000000000000)]> : tensor<11xcomplex<f64>>
  %0 = stablehlo.multiply %x, %y : tensor<11xcomplex<f64>>
  check.expect_eq_const %0, dense<[(0x7FE0000000000000, 0x7FF0000000000000), (0x0000000000000000, 0x7FF0000000000000), (0x7FF0000000000000, 0x0000000000000000), (0xFFE0000000000000, 0xFFF0000000000000), (0x7FD0000000000000, 0x7FF0000000000000), (0x7FEDC00000000000, 0x7FEE000000000000), (0x0000000000000000, 0x7FF0000000000000), (0x7FF0000000000000, 0x7FF0000000000000), (0x7FF8000000000000, 0x7FF0000000000000), (0x7FF0000000000000, 0x7FF8000000000000), (0x7FF8000000000000, 0x7FF8000000000000)]> : tensor<11xcomplex<f64>>
  %1 = stablehlo.multiply %y, %x : tensor<11xcomplex<f64>>
  check.expect_eq_const %1, dense<[(0x7FE0000000000000, 0x7FF0000000000000), (0x0000000000000000, 0x7FF0000000000000), (0x7FF0000000000000, 0x0000000000000000), (0xFFE0000000000000, 0xFFF0000000000000), (0x7FD0000000000000, 0x7FF0000000000000), (0x7FEDC00000000000, 0x7FEE000000000000), (0x0000000000000000, 0x7FF0000000000000), (0x7FF0000000000000, 0x7FF0000000000000), (0x7FF8000000000000, 0x7FF0000000000000), (0x7FF0000000000000, 0x7FF8000000000000), (0x7FF8000000000000, 0x7FF8000000000000)]> : tensor<11xcomplex<f64>>
  return
}

// -----

func.func @a_reduction_that_multiplies_f64() {
  %x = stablehlo.constant dense<[[(0x5FE8000000000000, 0x5FD4000000000000), (0x5FF8000000000000, 0x5FE4000000000000)], [(0x5FE8000000000000, 0xDFD4000000000000), (0x5FF8000000000000, 0xDFE4000000000000)], [(0xDFE8000000000000, 0xDFD4000000000000), (0x5FF8000000000000, 0x5FE4000000000000)]]> : tensor<3x2xcomplex<f64>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x2xcomplex<f64>>, tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
  check.expect_eq_const %0, dense<[(0x7FEDC00000000000, 0x7FEE000000000000), (0x7FEDC00000000000, 0xFFEE000000000000), (0xFFEDC00000000000, 0xFFEE000000000000)]> : tensor<3xcomplex<f64>>
  return
}

// -----

func.func @quotients_of_large_parts_f64() {
  %x = stablehlo.constant dense<[(0x7FE8000000000000, 0x7FD4000000000000), (0x7FEDC00000000000, 0x7FEE000000000000), (0x7FE0000000000000, 0x7FE0000000000000), (0x7FE0000000000000, 0x0000000000000000), (0x3FF0000000000000, 0x3FF0000000000000), (0x0000000000000001, 0x0000000000000001)]> : tensor<6xcomplex<f64>>
  %y = stablehlo.constant dense<[(0x7FE8000000000000, 0x7FD4000000000000), (0x5FF8000000000000, 0x5FE4000000000000), (0x7FE0000000000000, 0xFFE0000000000000), (0x3FE0000000000000, 0x3FE0000000000000), (0x7FE0000000000000, 0x7FE0000000000000), (0x0000000000000001, 0x0000000000000001)]> : tensor<6xcomplex<f64>>
  %0 = stablehlo.divide %x, %y : tensor<6xcomplex<f64>>
  check.expect_eq_const %0, dense<[(0x3FF0000000000000, 0x0000000000000000), (0x5FE8000000000000, 0x5FD4000000000000), (0x0000000000000000, 0x3FF0000000000000), (0x7FE0000000000000, 0xFFE0000000000000), (0x0008000000000000, 0x0000000000000000), (0x3FF0000000000000, 0x0000000000000000)]> : tensor<6xcomplex<f64>>
  return
}

// -----

func.func @moduli_and_squares_of_large_parts_f64() {
  %x = stablehlo.constant dense<[(0x7FD8000000000000, 0x7FE0000000000000), (0x5FF0000000000000, 0x5FF0000000000000), (0x5FE8000000000000, 0x5FD4000000000000)]> : tensor<3xcomplex<f64>>
  %0 = stablehlo.abs %x : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %1 = stablehlo.slice %0 [0:1] : (tensor<3xf64>) -> tensor<1xf64>
  check.expect_eq_const %1, dense<0x7FE4000000000000> : tensor<1xf64>
  %2 = chlo.square %x : tensor<3xcomplex<f64>> -> tensor<3xcomplex<f64>>
  check.expect_eq_const %2, dense<[(0xFFF0000000000000, 0x7FF0000000000000), (0x0000000000000000, 0x7FF0000000000000), (0x7FDDC00000000000, 0x7FDE000000000000)]> : tensor<3xcomplex<f64>>
  return
}

// -----

func.func @a_triangular_system_of_large_numbers_f64() {
  %a = stablehlo.constant dense<[[(0x7FB8000000000000, 0x7FA4000000000000), (0x0000000000000000, 0x0000000000000000)], [(0x0000000000000000, 0x0000000000000000), (0x7FA4000000000000, 0x7FB8000000000000)]]> : tensor<2x2xcomplex<f64>>
  %b = stablehlo.constant dense<[[(0x7FB8000000000000, 0x7FA4000000000000)], [(0x7FB8000000000000, 0xFFA4000000000000)]]> : tensor<2x1xcomplex<f64>>
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xcomplex<f64>>, tensor<2x1xcomplex<f64>>) -> tensor<2x1xcomplex<f64>>
  check.expect_eq_const %0, dense<[[(0x3FF0000000000000, 0x0000000000000000)], [(0x0000000000000000, 0xBFF0000000000000)]]> : tensor<2x1xcomplex<f64>>
  return
}

// -----

func.func @a_large_impulse_fft_37_f64() {
  %x = stablehlo.constant dense<(0x7FE8000000000000, 0x0000000000000000)> : tensor<1xcomplex<f64>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %impulse = stablehlo.pad %x, %zero, low = [0], high = [36], interior = [0] : (tensor<1xcomplex<f64>>, tensor<complex<f64>>) -> tensor<37xcomplex<f64>>
  %0 = stablehlo.fft %impulse, type = FFT, length = [37] : (tensor<37xcomplex<f64>>) -> tensor<37xcomplex<f64>>
  %1 = stablehlo.real %0 : (tensor<37xcomplex<f64>>) -> tensor<37xf64>
  %2 = stablehlo.constant dense<0x0008000000000000> : tensor<37xf64>
  %3 = stablehlo.multiply %1, %2 : tensor<37xf64>
  check.expect_almost_eq_const %3, dense<1.5> : tensor<37xf64> {tolerance = 1.0e-13 : f64}
  return
}

// -----

func.func @a_large_impulse_ifft_41_f64() {
  %x = stablehlo.constant dense<(0x7FE8000000000000, 0x0000000000000000)> : tensor<1xcomplex<f64>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %impulse = stablehlo.pad %x, %zero, low = [0], high = [40], interior = [0] : (tensor<1xcomplex<f64>>, tensor<complex<f64>>) -> tensor<41xcomplex<f64>>
  %0 = stablehlo.fft %impulse, type = IFFT, length = [41] : (tensor<41xcomplex<f64>>) -> tensor<41xcomplex<f64>>
  %1 = stablehlo.real %0 : (tensor<41xcomplex<f64>>) -> tensor<41xf64>
  %2 = stablehlo.constant dense<0x0008000000000000> : tensor<41xf64>
  %3 = stablehlo.multiply %1, %2 : tensor<41xf64>
  %n = stablehlo.constant dense<41.0> : tensor<41xf64>
  %4 = stablehlo.multiply %3, %n : tensor<41xf64>
  check.expect_almost_eq_const %4, dense<1.5> : tensor<41xf64> {tolerance = 1.0e-13 : f64}
  return
}

// -----

func.func @a_large_impulse_fft_64_f64() {
  %x = stablehlo.constant dense<(0x7FE8000000000000, 0x0000000000000000)> : tensor<1xcomplex<f64>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
  %impulse = stablehlo.pad %x, %zero, low = [0], high = [63], interior = [0] : (tensor<1xcomplex<f64>>, tensor<complex<f64>>) -> tensor<64xcomplex<f64>>
  %0 = stablehlo.fft %impulse, type = FFT, length = [64] : (tensor<64xcomplex<f64>>) -> tensor<64xcomplex<f64>>
  %1 = stablehlo.real %0 : (tensor<64xcomplex<f64>>) -> tensor<64xf64>
  %2 = stablehlo.constant dense<0x0008000000000000> : tensor<64xf64>
  %3 = stablehlo.multiply %1, %2 : tensor<64xf64>
  check.expect_almost_eq_const %3, dense<1.5> : tensor<64xf64> {tolerance = 1.0e-13 : f64}
  return
}

// -----

func.func @a_large_impulse_rfft_128_f64() {
  %x = stablehlo.constant dense<0x7FE8000000000000> : tensor<1xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %impulse = stablehlo.pad %x, %zero, low = [0], high = [127], interior = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<128xf64>
  %0 = stablehlo.fft %impulse, type = RFFT, length = [128] : (tensor<128xf64>) -> tensor<65xcomplex<f64>>
  %1 = stablehlo.real %0 : (tensor<65xcomplex<f64>>) -> tensor<65xf64>
  %2 = stablehlo.constant dense<0x0008000000000000> : tensor<65xf64>
  %3 = stablehlo.multiply %1, %2 : tensor<65xf64>
  check.expect_almost_eq_const %3, dense<1.5> : tensor<65xf64> {tolerance = 1.0e-13 : f64}
  return
}

// -----

// The modulus of a number next to the unit circle is 1 when rounded: a large exponent makes a factor of what was rounded away.
func.func @powers_with_large_exponents_f64() {
  %z = stablehlo.constant dense<[(1.0, 1.0e-10), (1.0, -9.094947017729282379e-13), (1.0, 1.0e-10)]> : tensor<3xcomplex<f64>>
  %w = stablehlo.constant dense<[(1.0e20, 0.0), (2417851639229258349412352.0, 0.0), (-1.0e20, 0.0)]> : tensor<3xcomplex<f64>>
  %0 = stablehlo.power %z, %w : tensor<3xcomplex<f64>>
  %1 = stablehlo.abs %0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  check.expect_almost_eq_const %1, dense<[1.6487212707001282, 2.7182818284590452, 0.60653065971263342]> : tensor<3xf64> {tolerance = 1.0e-14 : f64}
  return
}

// -----

// What was rounded away may make the first factor overflow, though the other one brings the product back.
func.func @powers_with_large_factors_f64() {
  %z = stablehlo.constant dense<(1.0, 1.0e-10)> : tensor<complex<f64>>
  %w = stablehlo.constant dense<(1.421e23, 7.065e12)> : tensor<complex<f64>>
  %0 = stablehlo.power %z, %w : tensor<complex<f64>>
  %1 = stablehlo.abs %0 : (tensor<complex<f64>>) -> tensor<f64>
  check.expect_almost_eq_const %1, dense<54.598150033146519> : tensor<f64> {tolerance = 1.0e-9 : f64}
  return
}
