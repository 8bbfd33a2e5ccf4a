func.func public @main(%x0_0: tensor<i4>, %x1_0: tensor<3x0x5xf32>) -> (tensor<i4>, tensor<5x3x0xf32>) {
  %r0 = stablehlo.transpose %x0_0, dims = [] : (tensor<i4>) -> tensor<i4>
  %r1 = stablehlo.transpose %x1_0, dims = [2, 0, 1] : (tensor<3x0x5xf32>) -> tensor<5x3x0xf32>
  return %r0, %r1 : tensor<i4>, tensor<5x3x0xf32>
}
