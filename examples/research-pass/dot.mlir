func.func @main(%x: tensor<96x160xf32>, %w: tensor<160x64xf32>) -> tensor<96x64xf32> {
  %0 = stablehlo.dot %x, %w : (tensor<96x160xf32>, tensor<160x64xf32>) -> tensor<96x64xf32>
  return %0 : tensor<96x64xf32>
}
