func.func public @main(%x: tensor<2x6x4x16xf32>, %y: tensor<2x3x2x16xf32>, %z: tensor<7x11xf32>, %w: tensor<3x3xf32>, %v: tensor<3x2xf32>) -> (tensor<2x6x4x16xf32>, tensor<7x11xf32>, tensor<7x11xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %y, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<2x6x4x16xf32>, tensor<2x3x2x16xf32>, tensor<f32>) -> tensor<2x6x4x16xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = "stablehlo.select_and_scatter"(%z, %w, %one) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<7x11xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<7x11xf32>
  %2 = "stablehlo.select_and_scatter"(%z, %v, %one) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 2, 5>, padding = dense<[[0, -1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<7x11xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<7x11xf32>
  return %0, %1, %2 : tensor<2x6x4x16xf32>, tensor<7x11xf32>, tensor<7x11xf32>
}
