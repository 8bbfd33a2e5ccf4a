func.func public @main(%x: tensor<37xf4E2M1FN>, %y: tensor<37xf4E2M1FN>) -> tensor<37xf4E2M1FN> {
  %0 = stablehlo.subtract %x, %y : tensor<37xf4E2M1FN>
  return %0 : tensor<37xf4E2M1FN>
}
