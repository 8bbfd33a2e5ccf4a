func.func public @main(%x: tensor<61xf32>) -> (tensor<61xf8E8M0FNU>, tensor<4xf8E8M0FNU>) {
  %0 = stablehlo.convert %x : (tensor<61xf32>) -> tensor<61xf8E8M0FNU>
  %c = stablehlo.constant dense<[3.0, 0.0, 6.0, 1.0e-40]> : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %c : tensor<4xf32>
  %2 = stablehlo.convert %1 : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  return %0, %2 : tensor<61xf8E8M0FNU>, tensor<4xf8E8M0FNU>
}
