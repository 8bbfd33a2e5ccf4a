// plain
// ulp: 4
func.func public @main(%x: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>, tensor<1x4xf32>, tensor<1x4x1xf32>) {
  // Two states are written in another shape than the one that they are computed in.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<1x4x1xf32>
  %flat = stablehlo.constant dense<0.0> : tensor<1x4xf32>
  %start = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0:5 = stablehlo.while(%i = %zero, %a = %start, %b = %none, %d = %none, %c = %flat)
      : tensor<i32>, tensor<4xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>, tensor<1x4xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.reshape %x : (tensor<1x4xf32>) -> tensor<4xf32>
    %2 = stablehlo.dot_general %a, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %3 = stablehlo.add %2, %1 : tensor<4xf32>
    %4 = stablehlo.subtract %a, %3 : tensor<4xf32>
    %5 = stablehlo.tanh %3 : tensor<4xf32>
    %6 = stablehlo.add %1, %a : tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<4xf32>) -> tensor<1x4x1xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %10 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<4xf32>) -> tensor<1x4x1xf32>
    %9 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %9, %5, %7, %10, %8 : tensor<i32>, tensor<4xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>, tensor<1x4xf32>
  }
  return %0#1, %0#2, %0#3, %0#4, %0#2 : tensor<4xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>, tensor<1x4xf32>, tensor<1x4x1xf32>
}
