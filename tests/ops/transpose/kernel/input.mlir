func.func @main(%k: tensor<17x1x19x3x2xf32>, %v: tensor<2x16x21x5xf64>) -> (tensor<3x2x19x1x17xf32>, tensor<5x2x21x16xf64>) {
  %0 = stablehlo.transpose %k, dims = [3, 4, 2, 1, 0] : (tensor<17x1x19x3x2xf32>) -> tensor<3x2x19x1x17xf32>
  %1 = stablehlo.transpose %v, dims = [3, 0, 2, 1] : (tensor<2x16x21x5xf64>) -> tensor<5x2x21x16xf64>
  return %0, %1 : tensor<3x2x19x1x17xf32>, tensor<5x2x21x16xf64>
}
