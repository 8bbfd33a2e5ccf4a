// plain
func.func public @main(%x: tensor<7x3xf32>) -> (tensor<7x3xf32>, tensor<7x3xf32>, tensor<3xf32>) {
  // Two states and a result behind the loop start as one tensor.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %first = stablehlo.slice %x [0:1, 0:3] : (tensor<7x3xf32>) -> tensor<1x3xf32>
  %second = stablehlo.slice %x [1:2, 0:3] : (tensor<7x3xf32>) -> tensor<1x3xf32>
  %empty = stablehlo.broadcast_in_dim %none, dims = [] : (tensor<f32>) -> tensor<7x3xf32>
  %start = stablehlo.dynamic_update_slice %empty, %first, %one, %zero
    : (tensor<7x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<7x3xf32>
  %s0 = stablehlo.dynamic_update_slice %start, %first, %zero, %zero
    : (tensor<7x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<7x3xf32>
  %s1 = stablehlo.dynamic_update_slice %start, %second, %zero, %zero
    : (tensor<7x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<7x3xf32>
  %0:3 = stablehlo.while(%i = %one, %a = %s0, %b = %s1) : tensor<i32>, tensor<7x3xf32>, tensor<7x3xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %seven : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 3]
      : (tensor<7x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %twice = stablehlo.add %row, %row : tensor<1x3xf32>
    %1 = stablehlo.dynamic_update_slice %a, %row, %i, %zero
      : (tensor<7x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<7x3xf32>
    %2 = stablehlo.dynamic_update_slice %b, %twice, %i, %zero
      : (tensor<7x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<7x3xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %1, %2 : tensor<i32>, tensor<7x3xf32>, tensor<7x3xf32>
  }
  %4 = stablehlo.reduce(%start init: %none) applies stablehlo.add across dimensions = [0]
    : (tensor<7x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0#1, %0#2, %4 : tensor<7x3xf32>, tensor<7x3xf32>, tensor<3xf32>
}
