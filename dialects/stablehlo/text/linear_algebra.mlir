// Linear algebra. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<4x4xf32>) {
    %0 = stablehlo.cholesky %arg0 : tensor<4x4xf32>
    %1 = stablehlo.cholesky %arg0, lower = true : tensor<4x4xf32>
    %2 = "stablehlo.triangular_solve"(%arg0, %arg0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return
  }
}
