func.func public @main(%x: tensor<3x5xi8>, %y: tensor<5x7xi8>) -> tensor<3x7xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x5xi8>, tensor<5x7xi8>) -> tensor<3x7xi32>
  return %0 : tensor<3x7xi32>
}
