// Without mantissa bits NaN is the positive infinity, whatever its sign; with one it is NaN. Ties go to the even exponent.
func.func @reduce_precision() {
  %a = stablehlo.constant dense<[0x7FC00000, 0xFFC00001, 0xFF800000, 1.5, -3.0, 70000.0, 1.0e-6]> : tensor<7xf32>
  %0 = stablehlo.reduce_precision %a, format = e5m0 : tensor<7xf32>
  %1 = stablehlo.reduce_precision %a, format = e5m1 : tensor<7xf32>
  check.expect_eq_const %0, dense<[0x7F800000, 0x7F800000, 0xFF800000, 2.0, -2.0, 0x7F800000, 0.0]> : tensor<7xf32>
  check.expect_eq_const %1, dense<[0x7FC00000, 0x7FC00000, 0xFF800000, 1.5, -3.0, 0x7F800000, 0.0]> : tensor<7xf32>
  return
}
