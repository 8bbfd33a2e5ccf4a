// ulp: 16
// plain
func.func public @main(%a: tensor<3x3xf32>, %b: tensor<3x0xf32>, %c: tensor<0x0xf64>, %d: tensor<0x5xf64>, %e: tensor<1x1xbf16>, %f: tensor<1x3xbf16>) -> (tensor<3x0xf32>, tensor<0x5xf64>, tensor<1x3xbf16>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x0xf32>) -> tensor<3x0xf32>
  %1 = "stablehlo.triangular_solve"(%c, %d) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<0x0xf64>, tensor<0x5xf64>) -> tensor<0x5xf64>
  %2 = "stablehlo.triangular_solve"(%e, %f) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<1x1xbf16>, tensor<1x3xbf16>) -> tensor<1x3xbf16>
  return %0, %1, %2 : tensor<3x0xf32>, tensor<0x5xf64>, tensor<1x3xbf16>
}
