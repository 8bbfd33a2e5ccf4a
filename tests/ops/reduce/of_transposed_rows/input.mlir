func.func public @main(%x: tensor<5x7x33xf32>, %y: tensor<33xf32>) -> tensor<33x7xf32> {
  // Maxima of what is computed from a transposed value: none of the dimensions that are left stays in its place.
  %t = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<5x7x33xf32>) -> tensor<33x5x7xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<33xf32>) -> tensor<33x5x7xf32>
  %m = stablehlo.multiply %t, %b : tensor<33x5x7xf32>
  %start = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = stablehlo.reduce(%m init: %start) applies stablehlo.maximum across dimensions = [1] : (tensor<33x5x7xf32>, tensor<f32>) -> tensor<33x7xf32>
  return %r : tensor<33x7xf32>
}
