// plain
// absolute: 1e-5

// Windows that move along the columns of the result have vectors of places beside each other, whatever is left of a row.
func.func public @main(%x: tensor<203xf32>, %y: tensor<3x53xf32>, %z: tensor<2x9x150xi32>) -> (tensor<203xf32>, tensor<195xf32>, tensor<3x53xf32>, tensor<3x37xf32>, tensor<2x7x148xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %nine = stablehlo.constant dense<9.0> : tensor<195xf32>
  %same = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 9>, padding = dense<[[4, 4]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<203xf32>, tensor<f32>) -> tensor<203xf32>
  %sums = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 9>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<203xf32>, tensor<f32>) -> tensor<195xf32>
  %means = stablehlo.divide %sums, %nine : tensor<195xf32>
  %largest = "stablehlo.reduce_window"(%y, %least) <{window_dimensions = array<i64: 1, 5>, padding = dense<[[0, 0], [3, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x53xf32>, tensor<f32>) -> tensor<3x53xf32>
  %apart = "stablehlo.reduce_window"(%y, %zero) <{window_dimensions = array<i64: 1, 3>, window_dilations = array<i64: 1, 8>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x53xf32>, tensor<f32>) -> tensor<3x37xf32>
  %squares = "stablehlo.reduce_window"(%z, %none) <{window_dimensions = array<i64: 1, 3, 3>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2x9x150xi32>, tensor<i32>) -> tensor<2x7x148xi32>
  return %same, %means, %largest, %apart, %squares : tensor<203xf32>, tensor<195xf32>, tensor<3x53xf32>, tensor<3x37xf32>, tensor<2x7x148xi32>
}
