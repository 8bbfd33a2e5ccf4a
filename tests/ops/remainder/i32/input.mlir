// range: -3 3
func.func public @main(%x: tensor<7xi32>, %y: tensor<7xi32>) -> tensor<7xi32> {
  %0 = stablehlo.remainder %x, %y : tensor<7xi32>
  return %0 : tensor<7xi32>
}
