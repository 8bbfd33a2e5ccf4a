func.func public @main(%x: tensor<4x4xf32>, %k: tensor<i32>) -> (tensor<f32>, tensor<2x2xf32>) {
  // A loop that only counts; what it leaves is an index and a number.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.while(%i = %five) : tensor<i32>
  cond {
    %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  %1 = stablehlo.dynamic_slice %x, %0, %k, sizes = [2, 2] : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %2 = stablehlo.convert %0 : (tensor<i32>) -> tensor<f32>
  return %2, %1 : tensor<f32>, tensor<2x2xf32>
}
