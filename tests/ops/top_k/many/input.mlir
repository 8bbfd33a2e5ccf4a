// uniform: 2
// range: -3 3
func.func public @main(%x: tensor<1x700xf32>, %y: tensor<2x300xi64>) -> (tensor<1x70xf32>, tensor<1x70xi32>, tensor<2x5xi64>, tensor<2x5xi32>) {
  %values, %indices = chlo.top_k(%x, k = 70) : tensor<1x700xf32> -> (tensor<1x70xf32>, tensor<1x70xi32>)
  %wide, %places = chlo.top_k(%y, k = 5) : tensor<2x300xi64> -> (tensor<2x5xi64>, tensor<2x5xi32>)
  return %values, %indices, %wide, %places : tensor<1x70xf32>, tensor<1x70xi32>, tensor<2x5xi64>, tensor<2x5xi32>
}
