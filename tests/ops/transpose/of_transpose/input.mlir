// plain
func.func public @main(%x: tensor<2x3x4xf32>, %y: tensor<3x3x3xf32>) -> (tensor<4x3x2xf32>, tensor<3x3x3xf32>) {
  // Rotations and exchanges do not commute.
  %a = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %b = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  %c = stablehlo.transpose %y, dims = [2, 0, 1] : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %d = stablehlo.transpose %c, dims = [0, 2, 1] : (tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  return %b, %d : tensor<4x3x2xf32>, tensor<3x3x3xf32>
}
