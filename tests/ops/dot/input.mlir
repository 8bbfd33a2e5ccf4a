// absolute: 1e-4
// plain
func.func public @main(%x: tensor<3x5xf32>, %y: tensor<5xf32>) -> tensor<3xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
