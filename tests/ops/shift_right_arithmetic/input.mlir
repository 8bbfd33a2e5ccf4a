// range: -1 9
func.func public @main(%x: tensor<9xi8>, %y: tensor<9xi8>) -> tensor<9xi8> {
  %0 = stablehlo.shift_right_arithmetic %x, %y : tensor<9xi8>
  return %0 : tensor<9xi8>
}
