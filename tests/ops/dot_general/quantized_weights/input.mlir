// ulp: 64
func.func public @main(%x: tensor<5x33xf32>, %w: tensor<33x3x!quant.uniform<i8:f32:1, {0.02, 0.5, 0.001}>>) -> (tensor<5x3xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x33xf32>, tensor<33x3x!quant.uniform<i8:f32:1, {0.02, 0.5, 0.001}>>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
