// mixes: x.0 elements of different rows share a row
func.func public @main(%x: tensor<?x4xf32> loc("x")) -> tensor<2x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %twice = stablehlo.multiply %rows, %c2 : tensor<1xi32>
  %new = stablehlo.concatenate %c2, %twice, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %new : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
