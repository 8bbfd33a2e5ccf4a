// plain
// absolute: 1e-4
func.func public @main(%x: tensor<3x5xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ab->a"} : (tensor<3x5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
