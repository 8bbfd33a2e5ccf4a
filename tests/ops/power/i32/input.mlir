// range: -3 5
func.func public @main(%x: tensor<7xi32>, %y: tensor<7xi32>) -> tensor<7xi32> {
  %0 = stablehlo.power %x, %y : tensor<7xi32>
  return %0 : tensor<7xi32>
}
