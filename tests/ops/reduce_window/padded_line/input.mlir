func.func public @main(%x: tensor<4099xf32>) -> tensor<4099xf32> {
  %start = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %start) <{window_dimensions = array<i64: 3>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4099xf32>, tensor<f32>) -> tensor<4099xf32>
  return %0 : tensor<4099xf32>
}
