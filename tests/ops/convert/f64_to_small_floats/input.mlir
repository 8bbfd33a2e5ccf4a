func.func public @main(%x: tensor<61xf64>) -> (tensor<61xf4E2M1FN>, tensor<61xf6E2M3FN>, tensor<61xf6E3M2FN>, tensor<61xf8E3M4>, tensor<61xf8E4M3>, tensor<61xf8E4M3FN>, tensor<61xf8E4M3FNUZ>, tensor<61xf8E4M3B11FNUZ>, tensor<61xf8E5M2>, tensor<61xf8E5M2FNUZ>, tensor<61xf8E8M0FNU>) {
  %0 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf4E2M1FN>
  %1 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf6E2M3FN>
  %2 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf6E3M2FN>
  %3 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf8E3M4>
  %4 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf8E4M3>
  %5 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf8E4M3FN>
  %6 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf8E4M3FNUZ>
  %7 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf8E4M3B11FNUZ>
  %8 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf8E5M2>
  %9 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf8E5M2FNUZ>
  %10 = stablehlo.convert %x : (tensor<61xf64>) -> tensor<61xf8E8M0FNU>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<61xf4E2M1FN>, tensor<61xf6E2M3FN>, tensor<61xf6E3M2FN>, tensor<61xf8E3M4>, tensor<61xf8E4M3>, tensor<61xf8E4M3FN>, tensor<61xf8E4M3FNUZ>, tensor<61xf8E4M3B11FNUZ>, tensor<61xf8E5M2>, tensor<61xf8E5M2FNUZ>, tensor<61xf8E8M0FNU>
}
