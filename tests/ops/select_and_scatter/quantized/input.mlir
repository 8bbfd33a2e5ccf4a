func.func public @main(%x: tensor<6x8x!quant.uniform<i8:f32, 0.05:-3>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.05:-3>>, %i: tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<6x8x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.select_and_scatter"(%x, %y, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.05:-3>>):
    %c = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.05:-3>>, tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<!quant.uniform<i8:f32, 0.05:-3>>):
    %c = stablehlo.add %a, %b : tensor<!quant.uniform<i8:f32, 0.05:-3>>
    stablehlo.return %c : tensor<!quant.uniform<i8:f32, 0.05:-3>>
  }) : (tensor<6x8x!quant.uniform<i8:f32, 0.05:-3>>, tensor<3x4x!quant.uniform<i8:f32, 0.05:-3>>, tensor<!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<6x8x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<6x8x!quant.uniform<i8:f32, 0.05:-3>>
}
