func.func public @main(%x: tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.05:-3>>):
    %c = stablehlo.compare LT, %a, %b : (tensor<!quant.uniform<i8:f32, 0.05:-3>>, tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>
}
