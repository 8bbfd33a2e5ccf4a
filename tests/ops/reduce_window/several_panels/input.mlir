// plain

// Of many columns a window has narrow panels, and tiles of few rows.
func.func public @main(%x: tensor<2x9x11x150xf32>) -> tensor<2x4x5x150xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %least) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x9x11x150xf32>, tensor<f32>) -> tensor<2x4x5x150xf32>
  return %0 : tensor<2x4x5x150xf32>
}
