func.func public @main(%x: tensor<37xi4>, %y: tensor<37xi4>) -> tensor<37xi4> {
  %0 = stablehlo.shift_right_logical %x, %y : tensor<37xi4>
  return %0 : tensor<37xi4>
}
