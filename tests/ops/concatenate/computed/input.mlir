func.func public @main(%x: tensor<5x48xf32>, %y: tensor<5x48xf32>) -> tensor<5x128xf32> {
  %0 = stablehlo.add %x, %y : tensor<5x48xf32>
  %1 = stablehlo.slice %y [0:5, 0:32] : (tensor<5x48xf32>) -> tensor<5x32xf32>
  %2 = stablehlo.multiply %x, %y : tensor<5x48xf32>
  %3 = stablehlo.concatenate %0, %1, %2, dim = 1 : (tensor<5x48xf32>, tensor<5x32xf32>, tensor<5x48xf32>) -> tensor<5x128xf32>
  return %3 : tensor<5x128xf32>
}
