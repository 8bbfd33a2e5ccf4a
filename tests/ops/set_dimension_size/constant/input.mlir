func.func public @main(%x: tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<0x5xf32>) {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %two, dim = 1 : (tensor<3x5xf32>, tensor<i32>) -> tensor<3x2xf32>
  %1 = stablehlo.set_dimension_size %x, %none, dim = 0 : (tensor<3x5xf32>, tensor<i32>) -> tensor<0x5xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<0x5xf32>
}
