// plain
// rms: 1e-6

// Windows whose initial value changes the result: it counts once for each window, and stands for the padding.
func.func public @main(%x: tensor<3x9xf32>, %i: tensor<3x9xi32>, %m: tensor<1x6x6x2xf32>)
    -> (tensor<3x9xf32>, tensor<3x9xi32>, tensor<3x9xf32>, tensor<3x9xi32>, tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>) {
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %five) <{
    window_dimensions = array<i64: 1, 9>, padding = dense<[[0, 0], [8, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x9xf32>, tensor<f32>) -> tensor<3x9xf32>
  %1 = "stablehlo.reduce_window"(%i, %seven) <{
    window_dimensions = array<i64: 1, 9>, padding = dense<[[0, 0], [0, 8]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x9xi32>, tensor<i32>) -> tensor<3x9xi32>
  %2 = "stablehlo.reduce_window"(%x, %half) <{
    window_dimensions = array<i64: 3, 1>, padding = dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x9xf32>, tensor<f32>) -> tensor<3x9xf32>
  %3 = "stablehlo.reduce_window"(%i, %two) <{
    window_dimensions = array<i64: 3, 1>, padding = dense<[[0, 2], [0, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x9xi32>, tensor<i32>) -> tensor<3x9xi32>
  // Pools, with padding.
  %4 = "stablehlo.reduce_window"(%m, %three) <{
    window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>,
    padding = dense<[[0, 0], [1, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x6x6x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
  %5 = "stablehlo.reduce_window"(%m, %three) <{
    window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>,
    padding = dense<[[0, 0], [1, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x6x6x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x9xf32>, tensor<3x9xi32>, tensor<3x9xf32>, tensor<3x9xi32>, tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>
}
