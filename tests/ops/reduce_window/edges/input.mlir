// plain
func.func public @main(%x: tensor<7xi4>, %y: tensor<5xf8E5M2>, %z: tensor<0x5xf32>, %w: tensor<f32>) -> (tensor<4xi4>, tensor<3xf8E5M2>, tensor<0x4xf32>, tensor<f32>) {
  %i = stablehlo.constant dense<0> : tensor<i4>
  %f = stablehlo.constant dense<0.0> : tensor<f8E5M2>
  %s = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %1 = stablehlo.add %a, %b : tensor<i4>
    stablehlo.return %1 : tensor<i4>
  }) : (tensor<7xi4>, tensor<i4>) -> tensor<4xi4>
  %2 = "stablehlo.reduce_window"(%y, %f) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<f8E5M2>, %b: tensor<f8E5M2>):
    %1 = stablehlo.maximum %a, %b : tensor<f8E5M2>
    stablehlo.return %1 : tensor<f8E5M2>
  }) : (tensor<5xf8E5M2>, tensor<f8E5M2>) -> tensor<3xf8E5M2>
  %3 = "stablehlo.reduce_window"(%z, %s) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<0x5xf32>, tensor<f32>) -> tensor<0x4xf32>
  %4 = "stablehlo.reduce_window"(%w, %s) <{window_dimensions = array<i64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %2, %3, %4 : tensor<4xi4>, tensor<3xf8E5M2>, tensor<0x4xf32>, tensor<f32>
}
