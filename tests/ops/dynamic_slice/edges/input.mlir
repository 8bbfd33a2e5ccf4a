// range: -3 9
func.func public @main(%x0_0: tensor<5x3xi4>, %x0_1: tensor<ui8>, %x0_2: tensor<ui8>, %x1_0: tensor<f8E5M2>, %x2_0: tensor<5xf32>, %x2_1: tensor<i64>) -> (tensor<2x1xi4>, tensor<f8E5M2>, tensor<0xf32>) {
  %r0 = stablehlo.dynamic_slice %x0_0, %x0_1, %x0_2, sizes = [2, 1] : (tensor<5x3xi4>, tensor<ui8>, tensor<ui8>) -> tensor<2x1xi4>
  %r1 = stablehlo.dynamic_slice %x1_0, sizes = [] : (tensor<f8E5M2>) -> tensor<f8E5M2>
  %r2 = stablehlo.dynamic_slice %x2_0, %x2_1, sizes = [0] : (tensor<5xf32>, tensor<i64>) -> tensor<0xf32>
  return %r0, %r1, %r2 : tensor<2x1xi4>, tensor<f8E5M2>, tensor<0xf32>
}
