func.func public @main(%x: tensor<3x9xf32>, %y: tensor<5x3xi32>) -> (tensor<3x9xf32>, tensor<3x9xf32>, tensor<5x3xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 9>, padding = dense<[[0, 0], [8, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x9xf32>, tensor<f32>) -> tensor<3x9xf32>
  %2 = "stablehlo.reduce_window"(%x, %none) <{window_dimensions = array<i64: 1, 9>, padding = dense<[[0, 0], [8, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<3x9xf32>, tensor<f32>) -> tensor<3x9xf32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %4 = "stablehlo.reduce_window"(%y, %one) <{window_dimensions = array<i64: 5, 1>, padding = dense<[[0, 4], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %5 = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %5 : tensor<i32>
  }) : (tensor<5x3xi32>, tensor<i32>) -> tensor<5x3xi32>
  return %0, %2, %4 : tensor<3x9xf32>, tensor<3x9xf32>, tensor<5x3xi32>
}
