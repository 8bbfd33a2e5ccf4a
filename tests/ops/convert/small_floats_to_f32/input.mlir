func.func public @main(%x0: tensor<61xf4E2M1FN>, %x1: tensor<61xf6E2M3FN>, %x2: tensor<61xf6E3M2FN>, %x3: tensor<61xf8E3M4>, %x4: tensor<61xf8E4M3>, %x5: tensor<61xf8E4M3FN>, %x6: tensor<61xf8E4M3FNUZ>, %x7: tensor<61xf8E4M3B11FNUZ>, %x8: tensor<61xf8E5M2>, %x9: tensor<61xf8E5M2FNUZ>, %x10: tensor<61xf8E8M0FNU>) -> (tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>) {
  %0 = stablehlo.convert %x0 : (tensor<61xf4E2M1FN>) -> tensor<61xf32>
  %1 = stablehlo.convert %x1 : (tensor<61xf6E2M3FN>) -> tensor<61xf32>
  %2 = stablehlo.convert %x2 : (tensor<61xf6E3M2FN>) -> tensor<61xf32>
  %3 = stablehlo.convert %x3 : (tensor<61xf8E3M4>) -> tensor<61xf32>
  %4 = stablehlo.convert %x4 : (tensor<61xf8E4M3>) -> tensor<61xf32>
  %5 = stablehlo.convert %x5 : (tensor<61xf8E4M3FN>) -> tensor<61xf32>
  %6 = stablehlo.convert %x6 : (tensor<61xf8E4M3FNUZ>) -> tensor<61xf32>
  %7 = stablehlo.convert %x7 : (tensor<61xf8E4M3B11FNUZ>) -> tensor<61xf32>
  %8 = stablehlo.convert %x8 : (tensor<61xf8E5M2>) -> tensor<61xf32>
  %9 = stablehlo.convert %x9 : (tensor<61xf8E5M2FNUZ>) -> tensor<61xf32>
  %10 = stablehlo.convert %x10 : (tensor<61xf8E8M0FNU>) -> tensor<61xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>, tensor<61xf32>
}
