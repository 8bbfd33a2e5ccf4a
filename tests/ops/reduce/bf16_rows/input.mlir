// expect: schedule "rows 16"
func.func public @main(%x: tensor<3x197xbf16>, %y: tensor<3x197xbf16>) -> (tensor<3xbf16>, tensor<3xbf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %0 = stablehlo.multiply %x, %y : tensor<3x197xbf16>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x197xbf16>, tensor<bf16>) -> tensor<3xbf16>
  %2 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x197xbf16>, tensor<bf16>) -> tensor<3xbf16>
  return %1, %2 : tensor<3xbf16>, tensor<3xbf16>
}
