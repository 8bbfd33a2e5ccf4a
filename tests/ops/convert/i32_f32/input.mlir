func.func public @main(%x: tensor<9xi32>) -> tensor<9xf32> {
  %0 = stablehlo.convert %x : (tensor<9xi32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
