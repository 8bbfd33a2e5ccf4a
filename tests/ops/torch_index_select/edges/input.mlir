// range: -2 9
func.func public @main(%x0_0: tensor<5x3xi4>, %x0_1: tensor<i32>, %x1_0: tensor<5x3xf16>, %x1_1: tensor<0xi32>) -> (tensor<3xi4>, tensor<5x0xf16>) {
  %r0 = "stablehlo.torch_index_select"(%x0_0, %x0_1) {batch_dims = 0 : i64, dim = 0 : i64} : (tensor<5x3xi4>, tensor<i32>) -> tensor<3xi4>
  %r1 = "stablehlo.torch_index_select"(%x1_0, %x1_1) {batch_dims = 0 : i64, dim = 1 : i64} : (tensor<5x3xf16>, tensor<0xi32>) -> tensor<5x0xf16>
  return %r0, %r1 : tensor<3xi4>, tensor<5x0xf16>
}
