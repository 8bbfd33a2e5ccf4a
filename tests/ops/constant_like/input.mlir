func.func public @main(%x: tensor<3xui8>) -> tensor<3xui8> {
  %0 = "chlo.constant_like"(%x) <{value = 7 : ui8}> : (tensor<3xui8>) -> tensor<3xui8>
  %1 = stablehlo.add %0, %x : tensor<3xui8>
  return %1 : tensor<3xui8>
}
