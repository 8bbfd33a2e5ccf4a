// uniform: 0 4
// range: -3 3
func.func public @main(%x: tensor<3x70xi8>, %y: tensor<5xbf16>) -> (tensor<3x4xi8>, tensor<3x4xi32>, tensor<1xbf16>, tensor<1xi32>, tensor<3xui8>, tensor<3xi32>) {
  %values, %indices = chlo.top_k(%x, k = 4) : tensor<3x70xi8> -> (tensor<3x4xi8>, tensor<3x4xi32>)
  %largest, %place = chlo.top_k(%y, k = 1) : tensor<5xbf16> -> (tensor<1xbf16>, tensor<1xi32>)
  %equal = stablehlo.constant dense<0> : tensor<130xui8>
  %first, %places = chlo.top_k(%equal, k = 3) : tensor<130xui8> -> (tensor<3xui8>, tensor<3xi32>)
  return %values, %indices, %largest, %place, %first, %places : tensor<3x4xi8>, tensor<3x4xi32>, tensor<1xbf16>, tensor<1xi32>, tensor<3xui8>, tensor<3xi32>
}
