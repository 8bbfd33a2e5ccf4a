func.func public @main(%x: tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>, %i: tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<9x!quant.uniform<i8:f32, 0.05:-3>>, tensor<20x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.05:-3>>):
    %s = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.05:-3>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.05:-3>>
  }) : (tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>, tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<9x!quant.uniform<i8:f32, 0.05:-3>>
  %1 = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.05:-3>>):
    %s = stablehlo.maximum %a, %b : tensor<!quant.uniform<i8:f32, 0.05:-3>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.05:-3>>
  }) : (tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>, tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<20x!quant.uniform<i8:f32, 0.05:-3>>
  return %0, %1 : tensor<9x!quant.uniform<i8:f32, 0.05:-3>>, tensor<20x!quant.uniform<i8:f32, 0.05:-3>>
}
