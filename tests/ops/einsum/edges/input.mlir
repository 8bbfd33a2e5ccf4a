// uniform: 1
// absolute: 1e-4
// plain
func.func public @main(%x0_0: tensor<3xi8>, %x0_1: tensor<3xi8>, %x1_0: tensor<3x0xf32>, %x1_1: tensor<0x5xf32>) -> (tensor<i8>, tensor<3x5xf32>) {
  %r0 = "stablehlo.einsum"(%x0_0, %x0_1) {einsum_config = "a,a->"} : (tensor<3xi8>, tensor<3xi8>) -> tensor<i8>
  %r1 = "stablehlo.einsum"(%x1_0, %x1_1) {einsum_config = "ab,bc->ac"} : (tensor<3x0xf32>, tensor<0x5xf32>) -> tensor<3x5xf32>
  return %r0, %r1 : tensor<i8>, tensor<3x5xf32>
}
