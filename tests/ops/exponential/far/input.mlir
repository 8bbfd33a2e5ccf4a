// ulp: 2
func.func public @main(%x: tensor<301xf32>, %y: tensor<35xf64>, %z: tensor<19xbf16>) -> (tensor<301xf32>, tensor<35xf64>, tensor<19xbf16>) {
  %0 = stablehlo.constant dense<50.0> : tensor<301xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<301xf32>
  %2 = stablehlo.exponential %1 : tensor<301xf32>
  %3 = stablehlo.constant dense<400.0> : tensor<35xf64>
  %4 = stablehlo.multiply %y, %3 : tensor<35xf64>
  %5 = stablehlo.exponential %4 : tensor<35xf64>
  %6 = stablehlo.constant dense<50.0> : tensor<19xbf16>
  %7 = stablehlo.multiply %z, %6 : tensor<19xbf16>
  %8 = stablehlo.exponential %7 : tensor<19xbf16>
  return %2, %5, %8 : tensor<301xf32>, tensor<35xf64>, tensor<19xbf16>
}
