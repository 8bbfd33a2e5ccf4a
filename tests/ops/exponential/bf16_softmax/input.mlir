// expect: schedule "rows 16"
// ulp: 2
func.func public @main(%x: tensor<5x197xbf16>) -> tensor<5x197xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<5x197xbf16>, tensor<bf16>) -> tensor<5xbf16>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<5xbf16>) -> tensor<5x197xbf16>
  %2 = stablehlo.subtract %x, %1 : tensor<5x197xbf16>
  %3 = stablehlo.exponential %2 : tensor<5x197xbf16>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x197xbf16>, tensor<bf16>) -> tensor<5xbf16>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<5xbf16>) -> tensor<5x197xbf16>
  %6 = stablehlo.divide %3, %5 : tensor<5x197xbf16>
  return %6 : tensor<5x197xbf16>
}
