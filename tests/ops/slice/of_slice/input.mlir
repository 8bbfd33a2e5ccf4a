// plain
func.func public @main(%x: tensor<29x11xf32>) -> (tensor<3x2xf32>, tensor<2x0xf32>) {
  // Strides multiply, and the last element that is taken is the last of both.
  %s = stablehlo.slice %x [2:27:2, 1:11:3] : (tensor<29x11xf32>) -> tensor<13x4xf32>
  %t = stablehlo.slice %s [1:11:4, 0:4:2] : (tensor<13x4xf32>) -> tensor<3x2xf32>
  %u = stablehlo.slice %s [3:7:3, 2:2:2] : (tensor<13x4xf32>) -> tensor<2x0xf32>
  return %t, %u : tensor<3x2xf32>, tensor<2x0xf32>
}
