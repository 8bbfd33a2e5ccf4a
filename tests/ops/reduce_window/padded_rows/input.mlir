func.func public @main(%x: tensor<17x261xf32>) -> tensor<17x261xf32> {
  %start = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %start) <{window_dimensions = array<i64: 1, 5>, padding = dense<[[0, 0], [2, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<17x261xf32>, tensor<f32>) -> tensor<17x261xf32>
  return %0 : tensor<17x261xf32>
}
