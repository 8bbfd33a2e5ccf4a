// plain
// absolute: 1e-9
func.func public @main(%x: tensor<2x67x67xf64>) -> (tensor<2x67x67xf64>, tensor<2x67x67xf64>) {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x67x67xf64>, tensor<2x67x67xf64>) -> tensor<2x67x67xf64>
  %rows = stablehlo.iota dim = 1 : tensor<2x67x67xi32>
  %columns = stablehlo.iota dim = 2 : tensor<2x67x67xi32>
  %diagonal = stablehlo.compare EQ, %rows, %columns, SIGNED : (tensor<2x67x67xi32>, tensor<2x67x67xi32>) -> tensor<2x67x67xi1>
  %ones = stablehlo.convert %diagonal : (tensor<2x67x67xi1>) -> tensor<2x67x67xf64>
  %1 = stablehlo.add %0, %ones : tensor<2x67x67xf64>
  %2 = stablehlo.cholesky %1, lower = true : tensor<2x67x67xf64>
  %3 = stablehlo.cholesky %1, lower = false : tensor<2x67x67xf64>
  %zeros = stablehlo.constant dense<0.0> : tensor<2x67x67xf64>
  %below = stablehlo.compare GE, %rows, %columns, SIGNED : (tensor<2x67x67xi32>, tensor<2x67x67xi32>) -> tensor<2x67x67xi1>
  %above = stablehlo.compare LE, %rows, %columns, SIGNED : (tensor<2x67x67xi32>, tensor<2x67x67xi32>) -> tensor<2x67x67xi1>
  %4 = stablehlo.select %below, %2, %zeros : tensor<2x67x67xi1>, tensor<2x67x67xf64>
  %5 = stablehlo.select %above, %3, %zeros : tensor<2x67x67xi1>, tensor<2x67x67xf64>
  return %4, %5 : tensor<2x67x67xf64>, tensor<2x67x67xf64>
}
