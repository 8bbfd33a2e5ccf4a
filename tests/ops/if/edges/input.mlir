func.func public @main(%p: tensor<i1>, %x: tensor<f8E5M2>, %y: tensor<0x3xi4>) -> (tensor<f8E5M2>, tensor<0x3xi4>) {
  %0:2 = "stablehlo.if"(%p) ({
    %1 = stablehlo.add %x, %x : tensor<f8E5M2>
    stablehlo.return %1, %y : tensor<f8E5M2>, tensor<0x3xi4>
  }, {
    stablehlo.return %x, %y : tensor<f8E5M2>, tensor<0x3xi4>
  }) : (tensor<i1>) -> (tensor<f8E5M2>, tensor<0x3xi4>)
  return %0#0, %0#1 : tensor<f8E5M2>, tensor<0x3xi4>
}
