func.func public @main(%x: tensor<37xf8E8M0FNU>, %y: tensor<37xf8E8M0FNU>) -> tensor<37xf8E8M0FNU> {
  %0 = stablehlo.maximum %x, %y : tensor<37xf8E8M0FNU>
  return %0 : tensor<37xf8E8M0FNU>
}
