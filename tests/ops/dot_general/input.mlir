// plain
// absolute: 1e-4
func.func public @main(%x: tensor<17x33xf32>, %y: tensor<33x35xf32>) -> tensor<17x35xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<17x33xf32>, tensor<33x35xf32>) -> tensor<17x35xf32>
  return %0 : tensor<17x35xf32>
}
