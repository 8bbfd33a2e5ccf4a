// uniform: 1
func.func public @main(%x: tensor<61xf8E4M3FNUZ>, %y: tensor<61xf8E4M3FNUZ>) -> (tensor<61xi1>, tensor<61xi1>) {
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<61xf8E4M3FNUZ>, tensor<61xf8E4M3FNUZ>) -> tensor<61xi1>
  %1 = stablehlo.compare NE, %x, %y, FLOAT : (tensor<61xf8E4M3FNUZ>, tensor<61xf8E4M3FNUZ>) -> tensor<61xi1>
  return %0, %1 : tensor<61xi1>, tensor<61xi1>
}
