// range: -1 4
func.func public @main(%i: tensor<i32>, %x: tensor<f8E5M2>, %y: tensor<0x3xi4>) -> (tensor<f8E5M2>, tensor<0x3xi4>, tensor<i4>) {
  %c = stablehlo.constant dense<3> : tensor<i4>
  %0:2 = "stablehlo.case"(%i) ({
    stablehlo.return %x, %y : tensor<f8E5M2>, tensor<0x3xi4>
  }, {
    %1 = stablehlo.negate %x : tensor<f8E5M2>
    stablehlo.return %1, %y : tensor<f8E5M2>, tensor<0x3xi4>
  }) : (tensor<i32>) -> (tensor<f8E5M2>, tensor<0x3xi4>)
  %2 = "stablehlo.case"(%i) ({
    stablehlo.return %c : tensor<i4>
  }) : (tensor<i32>) -> tensor<i4>
  return %0#0, %0#1, %2 : tensor<f8E5M2>, tensor<0x3xi4>, tensor<i4>
}
