// ulp: 0
func.func public @main() -> tensor<3x3xf32> {
  %a = stablehlo.constant dense<[[4.0, 9.0, 9.0], [2.0, 10.0, 9.0], [6.0, 9.0, 19.0]]> : tensor<3x3xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %rows = stablehlo.iota dim = 0 : tensor<3x3xi32>
  %columns = stablehlo.iota dim = 1 : tensor<3x3xi32>
  %computed = stablehlo.compare GE, %rows, %columns, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<3x3xf32>
  %1 = stablehlo.select %computed, %0, %zero : tensor<3x3xi1>, tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}
