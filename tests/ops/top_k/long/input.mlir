// uniform: 2
// range: -3 3
func.func public @main(%x: tensor<2x300xf32>, %y: tensor<1x333xi32>) -> (tensor<2x7xf32>, tensor<2x7xi32>, tensor<1x40xi32>, tensor<1x40xi32>) {
  %values, %indices = chlo.top_k(%x, k = 7) : tensor<2x300xf32> -> (tensor<2x7xf32>, tensor<2x7xi32>)
  %few, %places = chlo.top_k(%y, k = 40) : tensor<1x333xi32> -> (tensor<1x40xi32>, tensor<1x40xi32>)
  return %values, %indices, %few, %places : tensor<2x7xf32>, tensor<2x7xi32>, tensor<1x40xi32>, tensor<1x40xi32>
}
