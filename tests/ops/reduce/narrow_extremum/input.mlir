func.func public @main(%x: tensor<3x37xbf16>, %y: tensor<19x5xf16>) -> (tensor<3xbf16>, tensor<5xf16>) {
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x37xbf16>, tensor<bf16>) -> tensor<3xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<f16>
  %1 = stablehlo.reduce(%y init: %one) applies stablehlo.minimum across dimensions = [0] : (tensor<19x5xf16>, tensor<f16>) -> tensor<5xf16>
  return %0, %1 : tensor<3xbf16>, tensor<5xf16>
}
