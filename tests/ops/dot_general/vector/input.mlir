// plain
// absolute: 1e-4
func.func public @main(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<9xf32>, tensor<9xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
