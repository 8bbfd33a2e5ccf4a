func.func public @main(%x: tensor<19xi32>, %y: tensor<19xi32>) -> tensor<19xi32> {
  %0 = chlo.mulhi %x, %y : tensor<19xi32>, tensor<19xi32> -> tensor<19xi32>
  return %0 : tensor<19xi32>
}
