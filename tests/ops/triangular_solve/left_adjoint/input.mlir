// ulp: 16
// plain
func.func public @main(%b: tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>> {
  %a = stablehlo.constant dense<[[(1.0, 1.0), (9.0, 9.0), (9.0, 0.0)], [(2.0, 0.0), (1.0, 0.0), (9.0, 1.0)],
    [(0.0, 1.0), (1.0, -1.0), (1.0, 2.0)]]> : tensor<3x3xcomplex<f64>>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{
    left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>
  }> : (tensor<3x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  return %0 : tensor<3x2xcomplex<f64>>
}
