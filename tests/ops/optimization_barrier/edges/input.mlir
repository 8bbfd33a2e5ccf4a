func.func public @main(%x0_0: tensor<f8E5M2>, %x1_0: tensor<0x3xi4>) -> (tensor<f8E5M2>, tensor<0x3xi4>) {
  %r0 = stablehlo.optimization_barrier %x0_0 : tensor<f8E5M2>
  %r1 = stablehlo.optimization_barrier %x1_0 : tensor<0x3xi4>
  return %r0, %r1 : tensor<f8E5M2>, tensor<0x3xi4>
}
