func.func public @main(%x: tensor<9xi32>) -> tensor<9xui8> {
  %0 = stablehlo.convert %x : (tensor<9xi32>) -> tensor<9xui8>
  return %0 : tensor<9xui8>
}
