func.func public @main(%x: tensor<2x5xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x5xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
