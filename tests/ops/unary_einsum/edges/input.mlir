// plain
// absolute: 1e-4
func.func public @main(%x0_0: tensor<3x3xi8>, %x1_0: tensor<0x3xf32>) -> (tensor<3xi8>, tensor<f32>) {
  %r0 = "stablehlo.unary_einsum"(%x0_0) {einsum_config = "aa->a"} : (tensor<3x3xi8>) -> tensor<3xi8>
  %r1 = "stablehlo.unary_einsum"(%x1_0) {einsum_config = "ab->"} : (tensor<0x3xf32>) -> tensor<f32>
  return %r0, %r1 : tensor<3xi8>, tensor<f32>
}
