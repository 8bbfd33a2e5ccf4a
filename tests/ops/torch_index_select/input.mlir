// range: -2 9
func.func public @main(%x: tensor<2x3x7x4xf32>, %i: tensor<2x5x6xi32>) -> tensor<2x3x5x6x4xf32> {
  %0 = "stablehlo.torch_index_select"(%x, %i) {batch_dims = 1 : i64, dim = 2 : i64} : (tensor<2x3x7x4xf32>, tensor<2x5x6xi32>) -> tensor<2x3x5x6x4xf32>
  return %0 : tensor<2x3x5x6x4xf32>
}
