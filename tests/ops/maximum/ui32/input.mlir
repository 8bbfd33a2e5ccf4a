func.func public @main(%x: tensor<5xui32>, %y: tensor<5xui32>) -> tensor<5xui32> {
  %0 = stablehlo.maximum %x, %y : tensor<5xui32>
  return %0 : tensor<5xui32>
}
