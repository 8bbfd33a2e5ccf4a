// ulp: 2

// Of each batch the first matrix is positive definite, the second is not, the third is singular, the fourth holds NaN. The
// imaginary parts of a diagonal do not count.
func.func public @main() -> (tensor<4x3x3xf32>, tensor<4x3x3xf64>, tensor<2x2x2xcomplex<f32>>, tensor<2x2x2xcomplex<f64>>, tensor<2x1x1xf16>) {
  %a = stablehlo.constant dense<[
    [[4.0, 2.0, 6.0], [2.0, 10.0, 9.0], [6.0, 9.0, 19.0]],
    [[4.0, 2.0, 6.0], [2.0, 10.0, 9.0], [6.0, 9.0, 1.0]],
    [[4.0, 4.0, 2.0], [4.0, 4.0, 2.0], [2.0, 2.0, 9.0]],
    [[4.0, 0.0, 0.0], [0.0, 0x7FC00000, 0.0], [0.0, 0.0, 4.0]]
  ]> : tensor<4x3x3xf32>
  %wide = stablehlo.convert %a : (tensor<4x3x3xf32>) -> tensor<4x3x3xf64>
  %c = stablehlo.constant dense<[
    [[(4.0, 9.0), (2.0, -2.0)], [(2.0, 2.0), (6.0, -3.0)]],
    [[(4.0, 0.0), (2.0, -2.0)], [(2.0, 2.0), (1.0, 0.0)]]
  ]> : tensor<2x2x2xcomplex<f32>>
  %re = stablehlo.real %c : (tensor<2x2x2xcomplex<f32>>) -> tensor<2x2x2xf32>
  %im = stablehlo.imag %c : (tensor<2x2x2xcomplex<f32>>) -> tensor<2x2x2xf32>
  %re64 = stablehlo.convert %re : (tensor<2x2x2xf32>) -> tensor<2x2x2xf64>
  %im64 = stablehlo.convert %im : (tensor<2x2x2xf32>) -> tensor<2x2x2xf64>
  %z = stablehlo.complex %re64, %im64 : tensor<2x2x2xcomplex<f64>>
  %h = stablehlo.constant dense<[[[6.25]], [[-1.0]]]> : tensor<2x1x1xf16>
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x3x3xf32>
  %1 = stablehlo.cholesky %wide, lower = false : tensor<4x3x3xf64>
  %2 = stablehlo.cholesky %c, lower = true : tensor<2x2x2xcomplex<f32>>
  %3 = stablehlo.cholesky %z, lower = false : tensor<2x2x2xcomplex<f64>>
  %4 = stablehlo.cholesky %h, lower = true : tensor<2x1x1xf16>
  return %0, %1, %2, %3, %4 : tensor<4x3x3xf32>, tensor<4x3x3xf64>, tensor<2x2x2xcomplex<f32>>, tensor<2x2x2xcomplex<f64>>, tensor<2x1x1xf16>
}
