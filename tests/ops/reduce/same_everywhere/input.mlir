// uniform: 0 1
func.func public @main(%x: tensor<5x5xf32>, %y: tensor<5xf32>) -> (tensor<1xf32>, tensor<3xf32>) {
  // What is reduced is one number at all places: fused, no operand says how many.
  %top = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %bottom = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %least = stablehlo.reduce(%x init: %top) applies stablehlo.minimum across dimensions = [0, 1]
    : (tensor<5x5xf32>, tensor<f32>) -> tensor<f32>
  %one = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
  %0 = stablehlo.reduce(%one init: %bottom) applies stablehlo.maximum across dimensions = [0]
    : (tensor<1x1xf32>, tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.negate %0 : tensor<1xf32>
  %many = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
  %2 = stablehlo.reduce(%many init: %bottom) applies stablehlo.maximum across dimensions = [0]
    : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.abs %2 : tensor<3xf32>
  return %1, %3 : tensor<1xf32>, tensor<3xf32>
}
