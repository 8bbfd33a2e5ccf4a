// Of 600 numbers one needs the formula that the others can do without, and gets it; the others, in its block and outside of it, keep their bits.
func.func @a_product_that_overflows_among_others() {
  %i = stablehlo.iota dim = 0 : tensor<600xi32>
  %at = stablehlo.constant dense<300> : tensor<600xi32>
  %few = stablehlo.compare EQ, %i, %at : (tensor<600xi32>, tensor<600xi32>) -> tensor<600xi1>
  %large = stablehlo.constant dense<0x5FF0000000000000> : tensor<600xf64>
  %less = stablehlo.constant dense<0x5FD0000000000000> : tensor<600xf64>
  %two = stablehlo.constant dense<2.0> : tensor<600xf64>
  %re = stablehlo.select %few, %large, %two : tensor<600xi1>, tensor<600xf64>
  %im = stablehlo.select %few, %less, %two : tensor<600xi1>, tensor<600xf64>
  %x = stablehlo.complex %re, %im : tensor<600xcomplex<f64>>
  %y = stablehlo.optimization_barrier %x : tensor<600xcomplex<f64>>
  %0 = stablehlo.multiply %x, %y : tensor<600xcomplex<f64>>
  %1 = stablehlo.real %0 : (tensor<600xcomplex<f64>>) -> tensor<600xf64>
  %2 = stablehlo.imag %0 : (tensor<600xcomplex<f64>>) -> tensor<600xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<600xf64>
  %most = stablehlo.constant dense<0x7FEE000000000000> : tensor<600xf64>
  %eight = stablehlo.constant dense<8.0> : tensor<600xf64>
  %half = stablehlo.constant dense<0x7FE0000000000000> : tensor<600xf64>
  %3 = stablehlo.select %few, %most, %zero : tensor<600xi1>, tensor<600xf64>
  %4 = stablehlo.select %few, %half, %eight : tensor<600xi1>, tensor<600xf64>
  check.expect_eq %1, %3 : tensor<600xf64>
  check.expect_eq %2, %4 : tensor<600xf64>
  return
}

// -----

func.func @a_reduction_that_multiplies_many() {
  %i = stablehlo.iota dim = 1 : tensor<3x600xi32>
  %from = stablehlo.constant dense<299> : tensor<3x600xi32>
  %to = stablehlo.constant dense<302> : tensor<3x600xi32>
  %above = stablehlo.compare GT, %i, %from : (tensor<3x600xi32>, tensor<3x600xi32>) -> tensor<3x600xi1>
  %below = stablehlo.compare LT, %i, %to : (tensor<3x600xi32>, tensor<3x600xi32>) -> tensor<3x600xi1>
  %few = stablehlo.and %above, %below : tensor<3x600xi1>
  %large = stablehlo.constant dense<0x5FF0000000000000> : tensor<3x600xf64>
  %less = stablehlo.constant dense<0x5FD0000000000000> : tensor<3x600xf64>
  %zeros = stablehlo.constant dense<0.0> : tensor<3x600xf64>
  %ones = stablehlo.constant dense<1.0> : tensor<3x600xf64>
  %re = stablehlo.select %few, %large, %ones : tensor<3x600xi1>, tensor<3x600xf64>
  %im = stablehlo.select %few, %less, %zeros : tensor<3x600xi1>, tensor<3x600xf64>
  %x = stablehlo.complex %re, %im : tensor<3x600xcomplex<f64>>
  %y = stablehlo.optimization_barrier %x : tensor<3x600xcomplex<f64>>
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
  %0 = stablehlo.reduce(%y init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x600xcomplex<f64>>, tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
  check.expect_eq_const %0, dense<(0x7FEE000000000000, 0x7FE0000000000000)> : tensor<3xcomplex<f64>>
  return
}

// -----

func.func @a_quotient_by_zero_among_others_f32() {
  %i = stablehlo.iota dim = 0 : tensor<600xi32>
  %at = stablehlo.constant dense<300> : tensor<600xi32>
  %few = stablehlo.compare EQ, %i, %at : (tensor<600xi32>, tensor<600xi32>) -> tensor<600xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<600xf32>
  %two = stablehlo.constant dense<2.0> : tensor<600xf32>
  %six = stablehlo.constant dense<(6.0, 6.0)> : tensor<600xcomplex<f32>>
  %re = stablehlo.select %few, %zero, %two : tensor<600xi1>, tensor<600xf32>
  %y = stablehlo.complex %re, %zero : tensor<600xcomplex<f32>>
  %x = stablehlo.optimization_barrier %six : tensor<600xcomplex<f32>>
  %d = stablehlo.optimization_barrier %y : tensor<600xcomplex<f32>>
  %0 = stablehlo.divide %x, %d : tensor<600xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<600xcomplex<f32>>) -> tensor<600xf32>
  %2 = stablehlo.imag %0 : (tensor<600xcomplex<f32>>) -> tensor<600xf32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<600xf32>
  %three = stablehlo.constant dense<3.0> : tensor<600xf32>
  %3 = stablehlo.select %few, %inf, %three : tensor<600xi1>, tensor<600xf32>
  check.expect_eq %1, %3 : tensor<600xf32>
  check.expect_eq %2, %3 : tensor<600xf32>
  return
}

// -----

func.func @a_quotient_by_zero_among_others_f64() {
  %i = stablehlo.iota dim = 0 : tensor<600xi32>
  %at = stablehlo.constant dense<300> : tensor<600xi32>
  %few = stablehlo.compare EQ, %i, %at : (tensor<600xi32>, tensor<600xi32>) -> tensor<600xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<600xf64>
  %two = stablehlo.constant dense<2.0> : tensor<600xf64>
  %six = stablehlo.constant dense<(6.0, 6.0)> : tensor<600xcomplex<f64>>
  %re = stablehlo.select %few, %zero, %two : tensor<600xi1>, tensor<600xf64>
  %y = stablehlo.complex %re, %zero : tensor<600xcomplex<f64>>
  %x = stablehlo.optimization_barrier %six : tensor<600xcomplex<f64>>
  %d = stablehlo.optimization_barrier %y : tensor<600xcomplex<f64>>
  %0 = stablehlo.divide %x, %d : tensor<600xcomplex<f64>>
  %1 = stablehlo.real %0 : (tensor<600xcomplex<f64>>) -> tensor<600xf64>
  %2 = stablehlo.imag %0 : (tensor<600xcomplex<f64>>) -> tensor<600xf64>
  %inf = stablehlo.constant dense<0x7FF0000000000000> : tensor<600xf64>
  %three = stablehlo.constant dense<3.0> : tensor<600xf64>
  %3 = stablehlo.select %few, %inf, %three : tensor<600xi1>, tensor<600xf64>
  check.expect_eq %1, %3 : tensor<600xf64>
  check.expect_eq %2, %3 : tensor<600xf64>
  return
}
