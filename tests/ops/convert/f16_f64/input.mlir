func.func public @main(%x: tensor<9xf16>) -> tensor<9xf64> {
  %0 = stablehlo.convert %x : (tensor<9xf16>) -> tensor<9xf64>
  return %0 : tensor<9xf64>
}
