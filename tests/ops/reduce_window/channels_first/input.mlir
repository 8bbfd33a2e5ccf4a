func.func public @main(%x0: tensor<1x17x7x9xf32>, %x2: tensor<1x3x7x9xf32>, %x3: tensor<1x18x4x5x3xi32>, %x4: tensor<20x7x8xf64>) -> (tensor<1x17x4x5xf32>, tensor<1x3x4x5xf32>, tensor<1x18x3x3x2xi32>, tensor<20x4x4xf64>) {
  %c0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r0 = "stablehlo.reduce_window"(%x0, %c0) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1x17x7x9xf32>, tensor<f32>) -> tensor<1x17x4x5xf32>
  %c2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r2 = "stablehlo.reduce_window"(%x2, %c2) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1x3x7x9xf32>, tensor<f32>) -> tensor<1x3x4x5xf32>
  %c3 = stablehlo.constant dense<9> : tensor<i32>
  %r3 = "stablehlo.reduce_window"(%x3, %c3) <{window_dimensions = array<i64: 1, 1, 2, 3, 2>, window_strides = array<i64: 1, 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<5x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<1x18x4x5x3xi32>, tensor<i32>) -> tensor<1x18x3x3x2xi32>
  %c4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %r4 = "stablehlo.reduce_window"(%x4, %c4) <{window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 2>, padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %1 = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<20x7x8xf64>, tensor<f64>) -> tensor<20x4x4xf64>
  return %r0, %r2, %r3, %r4 : tensor<1x17x4x5xf32>, tensor<1x3x4x5xf32>, tensor<1x18x3x3x2xi32>, tensor<20x4x4xf64>
}
