// uniform: 1
// absolute: 1e-4
// plain
func.func public @main(%x0_0: tensor<5xi8>, %x0_1: tensor<5xi8>, %x1_0: tensor<3x0xf32>, %x1_1: tensor<0x5xf32>, %x2_0: tensor<3xi4>, %x2_1: tensor<3xi4>) -> (tensor<i32>, tensor<3x5xf32>, tensor<i4>) {
  %r0 = stablehlo.dot %x0_0, %x0_1 : (tensor<5xi8>, tensor<5xi8>) -> tensor<i32>
  %r1 = stablehlo.dot %x1_0, %x1_1 : (tensor<3x0xf32>, tensor<0x5xf32>) -> tensor<3x5xf32>
  %r2 = stablehlo.dot %x2_0, %x2_1 : (tensor<3xi4>, tensor<3xi4>) -> tensor<i4>
  return %r0, %r1, %r2 : tensor<i32>, tensor<3x5xf32>, tensor<i4>
}
