func.func public @main(%x: tensor<37xui4>, %y: tensor<37xui4>) -> tensor<37xui4> {
  %0 = stablehlo.shift_right_arithmetic %x, %y : tensor<37xui4>
  return %0 : tensor<37xui4>
}
