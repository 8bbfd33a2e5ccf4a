// uniform: 0
func.func public @main(%x: tensor<5xi1>, %y: tensor<5xi1>) -> tensor<5xi1> {
  %0 = stablehlo.and %x, %y : tensor<5xi1>
  return %0 : tensor<5xi1>
}
