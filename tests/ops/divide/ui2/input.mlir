func.func public @main(%x: tensor<37xui2>, %y: tensor<37xui2>) -> tensor<37xui2> {
  %0 = stablehlo.divide %x, %y : tensor<37xui2>
  return %0 : tensor<37xui2>
}
