// plain
// absolute: 1e-4
func.func public @main(%x: tensor<65x65xf32>, %b: tensor<65x70xf32>, %c: tensor<3x65xf32>) -> (tensor<65x70xf32>, tensor<3x65xf32>) {
  %hundredth = stablehlo.constant dense<0.01> : tensor<65x65xf32>
  %0 = stablehlo.multiply %x, %hundredth : tensor<65x65xf32>
  %rows = stablehlo.iota dim = 0 : tensor<65x65xi32>
  %columns = stablehlo.iota dim = 1 : tensor<65x65xi32>
  %diagonal = stablehlo.compare EQ, %rows, %columns, SIGNED : (tensor<65x65xi32>, tensor<65x65xi32>) -> tensor<65x65xi1>
  %ones = stablehlo.convert %diagonal : (tensor<65x65xi1>) -> tensor<65x65xf32>
  %a = stablehlo.add %0, %ones : tensor<65x65xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) <{
    left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>
  }> : (tensor<65x65xf32>, tensor<65x70xf32>) -> tensor<65x70xf32>
  %2 = "stablehlo.triangular_solve"(%a, %c) <{
    left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose ADJOINT>
  }> : (tensor<65x65xf32>, tensor<3x65xf32>) -> tensor<3x65xf32>
  return %1, %2 : tensor<65x70xf32>, tensor<3x65xf32>
}
