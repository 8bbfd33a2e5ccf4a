// range: 0 3
func.func public @main(%x: tensor<7xui8>, %y: tensor<7xui8>) -> tensor<7xui8> {
  %0 = stablehlo.divide %x, %y : tensor<7xui8>
  return %0 : tensor<7xui8>
}
