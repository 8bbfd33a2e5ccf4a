// plain
func.func public @main(%x: tensor<1x7x9x3xf32>) -> tensor<1x3x4x3xf32> {
  %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%x, %0) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<1x7x9x3xf32>, tensor<f32>) -> tensor<1x3x4x3xf32>
  return %1 : tensor<1x3x4x3xf32>
}
