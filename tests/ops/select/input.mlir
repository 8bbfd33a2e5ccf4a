func.func public @main(%p: tensor<7xi1>, %x: tensor<7xf32>, %y: tensor<7xf32>) -> tensor<7xf32> {
  %0 = stablehlo.select %p, %x, %y : tensor<7xi1>, tensor<7xf32>
  return %0 : tensor<7xf32>
}
