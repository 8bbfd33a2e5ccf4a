// ulp: 8
// plain
func.func public @main(%x: tensor<3x1xbf16>, %s: tensor<1xbf16>, %g: tensor<3x1xbf16>, %e: tensor<3x0xf32>, %t: tensor<0xf32>) -> (tensor<3x1xbf16>, tensor<1xbf16>, tensor<1xbf16>, tensor<3x0xf32>, tensor<0xf32>) {
  %v = stablehlo.constant dense<2.0> : tensor<1xbf16>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %v, %g) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<3x1xbf16>, tensor<1xbf16>, tensor<1xbf16>, tensor<1xbf16>, tensor<3x1xbf16>) -> (tensor<3x1xbf16>, tensor<1xbf16>, tensor<1xbf16>)
  %1:3 = "stablehlo.batch_norm_grad"(%e, %t, %t, %t, %e) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<3x0xf32>, tensor<0xf32>, tensor<0xf32>, tensor<0xf32>, tensor<3x0xf32>) -> (tensor<3x0xf32>, tensor<0xf32>, tensor<0xf32>)
  return %0#0, %0#1, %0#2, %1#0, %1#1 : tensor<3x1xbf16>, tensor<1xbf16>, tensor<1xbf16>, tensor<3x0xf32>, tensor<0xf32>
}
