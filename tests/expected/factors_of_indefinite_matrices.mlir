// A matrix that is not positive definite has no factor: the whole triangle is NaN, and the other matrices of the batch
// have theirs.
func.func @cholesky() {
  %a = stablehlo.constant dense<[[[4.0, 2.0], [2.0, 10.0]], [[4.0, 2.0], [2.0, 1.0]]]> : tensor<2x2x2xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2x2xf32>
  %lower = stablehlo.constant dense<[[[true, false], [true, true]], [[true, false], [true, true]]]> : tensor<2x2x2xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<2x2x2xf32>
  %1 = stablehlo.select %lower, %0, %zero : tensor<2x2x2xi1>, tensor<2x2x2xf32>
  check.expect_eq_const %1, dense<[[[2.0, 0.0], [1.0, 3.0]], [[0x7FC00000, 0.0], [0x7FC00000, 0x7FC00000]]]> : tensor<2x2x2xf32>
  return
}
