func.func public @main(%x: tensor<4x7xi32>) -> tensor<4xi32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] : (tensor<4x7xi32>, tensor<i32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}
