func.func public @main(%x: tensor<3xui8>, %y: tensor<3xui8>) -> tensor<3xui8> {
  %0 = stablehlo.add %x, %y : tensor<3xui8>
  return %0 : tensor<3xui8>
}
