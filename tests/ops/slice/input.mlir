func.func public @main(%x: tensor<7x5xf32>) -> tensor<3x3xf32> {
  %0 = stablehlo.slice %x [1:6:2, 2:5] : (tensor<7x5xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
