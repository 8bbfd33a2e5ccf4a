func.func public @main(%x: tensor<6x128xbf16>, %y: tensor<6x128xbf16>, %weights: tensor<128xf32>) -> (tensor<6x128xbf16>, tensor<6x128xbf16>) {
  // What lanes hold depends on their number: positions, and a weight of each column.
  %column = stablehlo.iota dim = 1 : tensor<6x128xi32>
  %half = stablehlo.constant dense<40> : tensor<6x128xi32>
  %0 = stablehlo.compare LT, %column, %half : (tensor<6x128xi32>, tensor<6x128xi32>) -> tensor<6x128xi1>
  %1 = stablehlo.multiply %x, %y : tensor<6x128xbf16>
  %2 = stablehlo.select %0, %1, %y : tensor<6x128xi1>, tensor<6x128xbf16>
  %3 = stablehlo.broadcast_in_dim %weights, dims = [1] : (tensor<128xf32>) -> tensor<6x128xf32>
  %4 = stablehlo.convert %x : (tensor<6x128xbf16>) -> tensor<6x128xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<6x128xf32>
  %6 = stablehlo.convert %5 : (tensor<6x128xf32>) -> tensor<6x128xbf16>
  return %2, %6 : tensor<6x128xbf16>, tensor<6x128xbf16>
}
