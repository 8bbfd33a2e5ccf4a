func.func public @main(%x: tensor<3x2xf32>, %v: tensor<f32>) -> tensor<6x3xf32> {
  %0 = stablehlo.pad %x, %v, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}
