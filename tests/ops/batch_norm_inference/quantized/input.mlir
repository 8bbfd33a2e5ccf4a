func.func public @main(%x: tensor<4x3x!quant.uniform<i8:f32, 0.05:-3>>, %s: tensor<3x!quant.uniform<i8:f32, 0.05:-3>>, %o: tensor<3x!quant.uniform<i8:f32, 0.05:-3>>, %m: tensor<3x!quant.uniform<i8:f32, 0.05:-3>>, %v: tensor<3x!quant.uniform<i8:f32, 0.05:-3>>) -> (tensor<4x3x!quant.uniform<i8:f32, 0.05:-3>>) {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<4x3x!quant.uniform<i8:f32, 0.05:-3>>, tensor<3x!quant.uniform<i8:f32, 0.05:-3>>, tensor<3x!quant.uniform<i8:f32, 0.05:-3>>, tensor<3x!quant.uniform<i8:f32, 0.05:-3>>, tensor<3x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<4x3x!quant.uniform<i8:f32, 0.05:-3>>
  return %0 : tensor<4x3x!quant.uniform<i8:f32, 0.05:-3>>
}
