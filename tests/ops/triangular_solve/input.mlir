// ulp: 16
// plain
func.func public @main(%b: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %a = stablehlo.constant dense<[[2.0, 9.0, 9.0], [1.0, 4.0, 9.0], [3.0, 0.5, 8.0]]> : tensor<3x3xf64>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{
    left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>
  }> : (tensor<3x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}
