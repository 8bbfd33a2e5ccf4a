func.func public @main(%x: tensor<3x5x2xi32>) -> tensor<5xi32> {
  %z = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [2, 0] : (tensor<3x5x2xi32>, tensor<i32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
