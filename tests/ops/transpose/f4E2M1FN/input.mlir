func.func public @main(%x: tensor<3x5xf4E2M1FN>) -> tensor<5x3xf4E2M1FN> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x5xf4E2M1FN>) -> tensor<5x3xf4E2M1FN>
  return %0 : tensor<5x3xf4E2M1FN>
}
