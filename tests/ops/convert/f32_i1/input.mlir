func.func public @main(%x: tensor<9xf32>) -> tensor<9xi1> {
  %0 = stablehlo.convert %x : (tensor<9xf32>) -> tensor<9xi1>
  return %0 : tensor<9xi1>
}
