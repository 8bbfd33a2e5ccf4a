// plain
func.func public @main(%x: tensor<3x2xf32>, %y: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  // Conditions that are constants, a scalar one and one that is the same everywhere.
  %yes = stablehlo.constant dense<true> : tensor<3x2xi1>
  %no = stablehlo.constant dense<false> : tensor<i1>
  %mixed = stablehlo.constant dense<[[true, false], [false, true], [true, true]]> : tensor<3x2xi1>
  %a = stablehlo.select %yes, %x, %y : tensor<3x2xi1>, tensor<3x2xf32>
  %b = stablehlo.select %no, %x, %y : tensor<i1>, tensor<3x2xf32>
  %c = stablehlo.select %mixed, %x, %y : tensor<3x2xi1>, tensor<3x2xf32>
  return %a, %b, %c : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}
