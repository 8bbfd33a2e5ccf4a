// plain
func.func public @main(%x: tensor<3x9xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0 = stablehlo.iota dim = 1 : tensor<3x9xi32>
  %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.constant dense<0> : tensor<i32>
  %3:2 = stablehlo.reduce(%x init: %1), (%0 init: %2) across dimensions = [1] : (tensor<3x9xf32>, tensor<3x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %4 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.select %4, %a, %b : tensor<i1>, tensor<f32>
      %6 = stablehlo.select %4, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %5, %6 : tensor<f32>, tensor<i32>
    }
  return %3#0, %3#1 : tensor<3xf32>, tensor<3xi32>
}
