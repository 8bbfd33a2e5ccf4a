// uniform: 0
func.func public @main(%x: tensor<3x135xf32>, %y: tensor<3x135xf32>, %z: tensor<97xf32>) -> (tensor<3xi1>, tensor<i1>) {
  %0 = stablehlo.constant dense<5.5> : tensor<3x135xf32>
  %1 = stablehlo.subtract %x, %y : tensor<3x135xf32>
  %2 = stablehlo.compare LE, %1, %0, FLOAT : (tensor<3x135xf32>, tensor<3x135xf32>) -> tensor<3x135xi1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %3 = stablehlo.reduce(%2 init: %true) applies stablehlo.and across dimensions = [1] : (tensor<3x135xi1>, tensor<i1>) -> tensor<3xi1>
  %4 = stablehlo.is_finite %z : (tensor<97xf32>) -> tensor<97xi1>
  %5 = stablehlo.reduce(%4 init: %true) applies stablehlo.and across dimensions = [0] : (tensor<97xi1>, tensor<i1>) -> tensor<i1>
  return %3, %5 : tensor<3xi1>, tensor<i1>
}
