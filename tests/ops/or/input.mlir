func.func public @main(%x: tensor<5xi32>, %y: tensor<5xi32>) -> tensor<5xi32> {
  %0 = stablehlo.or %x, %y : tensor<5xi32>
  return %0 : tensor<5xi32>
}
