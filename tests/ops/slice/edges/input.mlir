func.func public @main(%x0_0: tensor<7x5xi4>, %x1_0: tensor<7xf8E4M3FN>, %x2_0: tensor<bf16>) -> (tensor<3x0xi4>, tensor<3xf8E4M3FN>, tensor<bf16>) {
  %r0 = stablehlo.slice %x0_0 [1:6:2, 3:3] : (tensor<7x5xi4>) -> tensor<3x0xi4>
  %r1 = stablehlo.slice %x1_0 [0:7:3] : (tensor<7xf8E4M3FN>) -> tensor<3xf8E4M3FN>
  %r2 = stablehlo.slice %x2_0 [] : (tensor<bf16>) -> tensor<bf16>
  return %r0, %r1, %r2 : tensor<3x0xi4>, tensor<3xf8E4M3FN>, tensor<bf16>
}
