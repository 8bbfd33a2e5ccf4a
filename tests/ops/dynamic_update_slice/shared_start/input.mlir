// plain
// ulp: 4
func.func public @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
  // Two results that start as one tensor: one of them is computed in the other's buffer.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %double = stablehlo.constant dense<2.0> : tensor<8xf32>
  %triple = stablehlo.constant dense<3.0> : tensor<8xf32>
  %none = stablehlo.constant dense<0.0> : tensor<3x8xf32>
  %row = stablehlo.constant dense<0.0> : tensor<1x8xf32>
  %start = stablehlo.dynamic_update_slice %none, %row, %zero, %zero
    : (tensor<3x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  %0 = stablehlo.multiply %x, %double : tensor<8xf32>
  %1 = stablehlo.multiply %x, %triple : tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
  %3 = stablehlo.dynamic_update_slice %start, %2, %one, %zero
    : (tensor<3x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  %4 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
  %5 = stablehlo.dynamic_update_slice %start, %4, %one, %zero
    : (tensor<3x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  %6 = stablehlo.multiply %y, %double : tensor<8xf32>
  %7 = stablehlo.multiply %y, %triple : tensor<8xf32>
  %8 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
  %9 = stablehlo.dynamic_update_slice %3, %8, %two, %zero
    : (tensor<3x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  %10 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
  %11 = stablehlo.dynamic_update_slice %5, %10, %two, %zero
    : (tensor<3x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  return %9, %11 : tensor<3x8xf32>, tensor<3x8xf32>
}
