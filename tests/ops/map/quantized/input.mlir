func.func public @main(%x: tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.05:-3>>):
    %s = stablehlo.multiply %a, %b : tensor<!quant.uniform<i8:f32, 0.05:-3>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.05:-3>>
  }) : (tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>, tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>
}
