// The module that small_floats.mlirbc holds, as MLIR 23 and StableHLO 1.17 wrote it.

module {
  func.func private @f(tensor<3xf8E5M2>, tensor<3xf8E4M3>, tensor<3xf8E4M3FN>, tensor<3xf8E5M2FNUZ>, tensor<3xf8E4M3FNUZ>, tensor<3xf8E4M3B11FNUZ>, tensor<3xf8E3M4>, tensor<3xf4E2M1FN>, tensor<3xf6E2M3FN>, tensor<3xf6E3M2FN>, tensor<3xf8E8M0FNU>)
}
