// uniform: 0
func.func public @main(%a: tensor<f64>, %b: tensor<f64>) -> tensor<3xf64> {
  %shape = stablehlo.constant dense<3> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
