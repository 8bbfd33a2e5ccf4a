func.func public @main(%x: tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>, %i: tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<8x18x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 2, 3>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.05:-3>>):
    %s = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.05:-3>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.05:-3>>
  }) : (tensor<9x20x!quant.uniform<i8:f32, 0.05:-3>>, tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<8x18x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<8x18x!quant.uniform<i8:f32, 0.05:-3>>
}
