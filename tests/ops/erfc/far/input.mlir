// ulp: 3
func.func public @main(%x: tensor<301xf32>, %y: tensor<35xf64>) -> (tensor<301xf32>, tensor<35xf64>) {
  %0 = stablehlo.constant dense<3.5> : tensor<301xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<301xf32>
  %2 = chlo.erfc %1 : tensor<301xf32> -> tensor<301xf32>
  %3 = stablehlo.constant dense<3.5> : tensor<35xf64>
  %4 = stablehlo.multiply %y, %3 : tensor<35xf64>
  %5 = chlo.erfc %4 : tensor<35xf64> -> tensor<35xf64>
  return %2, %5 : tensor<301xf32>, tensor<35xf64>
}
