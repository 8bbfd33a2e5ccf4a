func.func public @main(%x: tensor<4x5xi8>, %z: tensor<i8>) -> tensor<7x3xi8> {
  %0 = stablehlo.pad %x, %z, low = [-1, 1], high = [1, -3], interior = [1, 0] : (tensor<4x5xi8>, tensor<i8>) -> tensor<7x3xi8>
  return %0 : tensor<7x3xi8>
}
