func.func public @main(%x: tensor<3x11xf32>) -> tensor<3x11xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3x11xf32>) -> tensor<3x11xf32>
  return %0 : tensor<3x11xf32>
}
