func.func public @main(%x: tensor<37xi2>, %y: tensor<37xi2>) -> tensor<37xi2> {
  %0 = stablehlo.shift_right_arithmetic %x, %y : tensor<37xi2>
  return %0 : tensor<37xi2>
}
