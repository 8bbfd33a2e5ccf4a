// plain
// range: 1 6
func.func public @main(%x: tensor<4x3xf32>, %k: tensor<i32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  // The state is first read, for its own next value, and then updated: the next value must not lie over it yet.
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %trips = stablehlo.clamp %c1, %k, %c5 : tensor<i32>
  %row = stablehlo.constant dense<[[1.0, -2.0, 3.0]]> : tensor<1x3xf32>
  %r:3 = stablehlo.while(%i = %c0, %s = %x, %t = %x) : tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>
  cond {
    %c = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %c1 : tensor<i32>
    %next = stablehlo.add %s, %s : tensor<4x3xf32>
    %late = stablehlo.dynamic_update_slice %s, %row, %i, %c0 : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    stablehlo.return %n, %next, %late : tensor<i32>, tensor<4x3xf32>, tensor<4x3xf32>
  }
  return %r#1, %r#2 : tensor<4x3xf32>, tensor<4x3xf32>
}
