func.func public @main(%x: tensor<301x704xf32>) -> tensor<301xi32> {
  %places = stablehlo.iota dim = 1 : tensor<301x704xi32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %none), (%places init: %zero) across dimensions = [1]
      : (tensor<301x704xf32>, tensor<301x704xi32>, tensor<f32>, tensor<i32>) -> (tensor<301xf32>, tensor<301xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %greater = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %first = stablehlo.or %greater, %nan : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %first, %tie : tensor<i1>
      %value = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  return %0#1 : tensor<301xi32>
}
