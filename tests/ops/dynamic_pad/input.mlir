func.func public @main(%x: tensor<3xi32>, %value: tensor<i32>) -> tensor<7xi32> {
  %low = stablehlo.constant dense<2> : tensor<1xi32>
  %high = stablehlo.constant dense<0> : tensor<1xi32>
  %interior = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %x, %value, %low, %high, %interior : (tensor<3xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<7xi32>
  return %0 : tensor<7xi32>
}
