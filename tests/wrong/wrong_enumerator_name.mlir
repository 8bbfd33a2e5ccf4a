func.func public @main(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LESS, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
