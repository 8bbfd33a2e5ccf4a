// plain
func.func public @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]> : tensor<2x3xf32>
  %rows = stablehlo.reverse %c, dims = [0] : tensor<2x3xf32>
  %both = stablehlo.reverse %c, dims = [0, 1] : tensor<2x3xf32>
  %a = stablehlo.add %x, %rows : tensor<2x3xf32>
  return %a, %both : tensor<2x3xf32>, tensor<2x3xf32>
}
