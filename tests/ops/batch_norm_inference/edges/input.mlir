// plain
// ulp: 4
func.func public @main(%x: tensor<3x2xbf16>, %s: tensor<2xbf16>, %e: tensor<0x2xf32>, %t: tensor<2xf32>) -> (tensor<3x2xbf16>, tensor<0x2xf32>) {
  %v = stablehlo.constant dense<[1.0, 0.25]> : tensor<2xbf16>
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %v) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<3x2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>) -> tensor<3x2xbf16>
  %1 = "stablehlo.batch_norm_inference"(%e, %t, %t, %t, %t) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<0x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<0x2xf32>
  return %0, %1 : tensor<3x2xbf16>, tensor<0x2xf32>
}
