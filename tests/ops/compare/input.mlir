func.func public @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xi1> {
  %0 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
  return %0 : tensor<9xi1>
}
