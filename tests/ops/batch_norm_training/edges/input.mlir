// ulp: 4
// plain
func.func public @main(%x: tensor<3x2xf16>, %s: tensor<2xf16>, %e: tensor<3x0xf32>, %t: tensor<0xf32>) -> (tensor<3x2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<3x0xf32>, tensor<0xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<3x2xf16>, tensor<2xf16>, tensor<2xf16>) -> (tensor<3x2xf16>, tensor<2xf16>, tensor<2xf16>)
  %1:3 = "stablehlo.batch_norm_training"(%e, %t, %t) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<3x0xf32>, tensor<0xf32>, tensor<0xf32>) -> (tensor<3x0xf32>, tensor<0xf32>, tensor<0xf32>)
  return %0#0, %0#1, %0#2, %1#0, %1#1 : tensor<3x2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<3x0xf32>, tensor<0xf32>
}
