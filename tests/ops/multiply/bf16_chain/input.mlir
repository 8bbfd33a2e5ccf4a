// expect: schedule "elementwise 16"
func.func public @main(%x: tensor<5x197xbf16>, %y: tensor<5x197xbf16>, %row: tensor<197xbf16>) -> (tensor<5x197xbf16>, tensor<5x197xbf16>, tensor<5x197xf32>) {
  %rows = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<197xbf16>) -> tensor<5x197xbf16>
  %third = stablehlo.constant dense<0.333> : tensor<5x197xbf16>
  %0 = stablehlo.multiply %x, %y : tensor<5x197xbf16>
  %1 = stablehlo.add %0, %rows : tensor<5x197xbf16>
  %2 = stablehlo.multiply %1, %third : tensor<5x197xbf16>
  %3 = stablehlo.compare GT, %2, %y : (tensor<5x197xbf16>, tensor<5x197xbf16>) -> tensor<5x197xi1>
  %4 = stablehlo.select %3, %0, %2 : tensor<5x197xi1>, tensor<5x197xbf16>
  %5 = stablehlo.convert %1 : (tensor<5x197xbf16>) -> tensor<5x197xf32>
  return %0, %4, %5 : tensor<5x197xbf16>, tensor<5x197xbf16>, tensor<5x197xf32>
}
