// sizes: x.1=3
// every: x.1=70
// Running sums and extrema along rows of given number, each column apart.
func.func public @main(%x: tensor<70x?xf32> loc("x")) -> (tensor<70x?xf32>, tensor<70x?xf32>, tensor<70x?xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[69, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 70, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<70x?xf32>, tensor<f32>) -> tensor<70x?xf32>
  %t = stablehlo.tanh %x : tensor<70x?xf32>
  %1 = "stablehlo.reduce_window"(%t, %low) <{padding = dense<[[0, 69], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 70, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<70x?xf32>, tensor<f32>) -> tensor<70x?xf32>
  %2 = stablehlo.add %0, %t : tensor<70x?xf32>
  // Read in another order, and whole.
  %3 = "stablehlo.reduce_window"(%t, %zero) <{padding = dense<[[69, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 70, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<70x?xf32>, tensor<f32>) -> tensor<70x?xf32>
  %4 = stablehlo.reduce(%3 init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<70x?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1, %2, %4 : tensor<70x?xf32>, tensor<70x?xf32>, tensor<70x?xf32>, tensor<?xf32>
}
