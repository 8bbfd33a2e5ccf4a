func.func public @main(%x0_0: tensor<3x0xi4>) -> (tensor<i32>) {
  %r0 = stablehlo.get_dimension_size %x0_0, dim = 1 : (tensor<3x0xi4>) -> tensor<i32>
  return %r0 : tensor<i32>
}
