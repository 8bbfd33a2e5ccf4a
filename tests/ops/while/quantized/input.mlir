func.func public @main(%x: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>, %y: tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<11x!quant.uniform<i8:f32, 0.05:-3>>) {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %o = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %b = stablehlo.add %a, %y : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
    %j = stablehlo.add %i, %o : tensor<i32>
    stablehlo.return %j, %b : tensor<i32>, tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
  }
  return %r#1 : tensor<11x!quant.uniform<i8:f32, 0.05:-3>>
}
