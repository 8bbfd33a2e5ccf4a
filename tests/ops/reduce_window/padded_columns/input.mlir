func.func public @main(%x: tensor<67x63xf32>) -> tensor<67x63xf32> {
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %start) <{window_dimensions = array<i64: 4, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<67x63xf32>, tensor<f32>) -> tensor<67x63xf32>
  return %0 : tensor<67x63xf32>
}
