// plain
func.func public @main(%x: tensor<5x7xf32>) -> (tensor<1x4xf32>, tensor<2x1xf32>) {
  // One place along a dimension: the window reads a part of it, its last elements or with what is around it.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 4, 2>, padding = dense<[[-1, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<f32>) -> tensor<1x4xf32>
  %t = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 4>, window_strides = array<i64: 3, 9>, window_dilations = array<i64: 1, 2>, padding = dense<[[0, 0], [2, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<f32>) -> tensor<2x1xf32>
  return %r, %t : tensor<1x4xf32>, tensor<2x1xf32>
}
