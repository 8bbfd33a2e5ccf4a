// plain
// absolute: 1e-4
func.func public @main(%x: tensor<9xf32>) -> tensor<5xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%x, %0) <{window_dimensions = array<i64: 3>, window_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<9xf32>, tensor<f32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
