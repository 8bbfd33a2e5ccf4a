func.func public @main(%x: tensor<7xi8>, %y: tensor<7xi8>) -> tensor<7xi8> {
  %0 = chlo.mulhi %x, %y : tensor<7xi8>, tensor<7xi8> -> tensor<7xi8>
  return %0 : tensor<7xi8>
}
