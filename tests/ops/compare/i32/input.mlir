// range: 0 2
func.func public @main(%x: tensor<5xi32>, %y: tensor<5xi32>) -> tensor<5xi1> {
  %0 = stablehlo.compare NE, %x, %y, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}
