func.func @main(%x: tensor<37xf32>, %y: tensor<37xf32>) -> (tensor<37xf32>, tensor<37xf32>) {
  %0 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<37xf32>, tensor<37xf32>) -> tensor<37xi1>
  %1 = stablehlo.compare NE, %x, %y, FLOAT : (tensor<37xf32>, tensor<37xf32>) -> tensor<37xi1>
  %2 = stablehlo.and %0, %1 : tensor<37xi1>
  %3 = stablehlo.add %x, %y : tensor<37xf32>
  %4 = stablehlo.select %2, %3, %x : tensor<37xi1>, tensor<37xf32>
  %5 = stablehlo.select %0, %y, %3 : tensor<37xi1>, tensor<37xf32>
  return %4, %5 : tensor<37xf32>, tensor<37xf32>
}
