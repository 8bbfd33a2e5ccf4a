// plain
// absolute: 1e-4
func.func public @main(%x: tensor<3x3x2xf32>, %y: tensor<4x2xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.einsum %x, %y, config = "iik,jk->ki" : (tensor<3x3x2xf32>, tensor<4x2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
