func.func public @main(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %shape = stablehlo.constant dense<6> : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
