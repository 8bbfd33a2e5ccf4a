// Sums of complex numbers round, as those of real ones: what is subtracted and added again takes digits along, and -0 plus 0 is 0.
func.func @a_difference_and_a_sum() {
  %a = stablehlo.constant dense<[(1.0, -2.0), (-0.0, -0.0)]> : tensor<2xcomplex<f64>>
  %b = stablehlo.constant dense<[(1.0e20, 1.0e20), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
  %0 = stablehlo.subtract %a, %b : tensor<2xcomplex<f64>>
  %1 = stablehlo.add %0, %b : tensor<2xcomplex<f64>>
  %2 = stablehlo.add %a, %b : tensor<2xcomplex<f64>>
  %3 = stablehlo.subtract %2, %b : tensor<2xcomplex<f64>>
  check.expect_eq_const %1, dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
  check.expect_eq_const %3, dense<[(0.0, 0.0), (0.0, 0.0)]> : tensor<2xcomplex<f64>>
  %4 = stablehlo.real %1 : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %one = stablehlo.constant dense<1.0> : tensor<2xf64>
  %5 = stablehlo.divide %one, %4 : tensor<2xf64>
  check.expect_eq_const %5, dense<0x7FF0000000000000> : tensor<2xf64>
  return
}

// -----

// One times a number is that number only where no part is infinite and no zero has a sign.
func.func @products_with_one() {
  %a = stablehlo.constant dense<[(0x7F800000, 1.0), (-0.0, -1.0)]> : tensor<2xcomplex<f32>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<2xcomplex<f32>>
  %0 = stablehlo.multiply %a, %one : tensor<2xcomplex<f32>>
  check.expect_eq_const %0, dense<[(0x7F800000, 0x7FC00000), (0.0, -1.0)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<2xf32>
  %2 = stablehlo.divide %ones, %1 : tensor<2xf32>
  // -0 times 1 less -1 times 0 is -0 plus 0.
  check.expect_eq_const %2, dense<[0.0, 0x7F800000]> : tensor<2xf32>
  return
}

// -----

// sin(x + 0i) has the imaginary part 0 cos(x), sinh(0 + iy) the real part 0 cos(y): one over it shows the sign.
func.func @zeros_beside_negative_cosines() {
  %one = stablehlo.constant dense<1.0> : tensor<4xf64>
  %x = stablehlo.constant dense<[(2.5, 0.0), (2.5, -0.0), (1.0, 0.0), (1.0, -0.0)]> : tensor<4xcomplex<f64>>
  %0 = stablehlo.sine %x : tensor<4xcomplex<f64>>
  %1 = stablehlo.imag %0 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %2 = stablehlo.divide %one, %1 : tensor<4xf64>
  check.expect_eq_const %2, dense<[0xFFF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<4xf64>
  %y = stablehlo.constant dense<[(0.0, 2.5), (-0.0, 2.5), (0.0, 1.0), (-0.0, 1.0)]> : tensor<4xcomplex<f64>>
  %3 = chlo.sinh %y : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  %4 = stablehlo.real %3 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %5 = stablehlo.divide %one, %4 : tensor<4xf64>
  check.expect_eq_const %5, dense<[0xFFF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000]> : tensor<4xf64>
  return
}
