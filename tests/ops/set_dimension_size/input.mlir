func.func public @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %size = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %size, dim = 1 : (tensor<3x2xf32>, tensor<i32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
