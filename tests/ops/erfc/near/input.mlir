// ulp: 3
func.func public @main(%x: tensor<301xf32>) -> tensor<301xf32> {
  %0 = stablehlo.constant dense<0.3> : tensor<301xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<301xf32>
  %2 = chlo.erfc %1 : tensor<301xf32> -> tensor<301xf32>
  return %2 : tensor<301xf32>
}
