// uniform: 2 3
func.func public @main() -> (tensor<3xi4>, tensor<3xf8E5M2>, tensor<20xui2>, tensor<20xf6E2M3FN>) {
  %0 = stablehlo.constant dense<[-8, 7, -1]> : tensor<3xi4>
  %1 = stablehlo.constant dense<[0.5, -0.0, 0x7C]> : tensor<3xf8E5M2>
  %2 = stablehlo.constant dense<3> : tensor<20xui2>
  %3 = stablehlo.constant dense<-7.5> : tensor<20xf6E2M3FN>
  return %0, %1, %2, %3 : tensor<3xi4>, tensor<3xf8E5M2>, tensor<20xui2>, tensor<20xf6E2M3FN>
}
