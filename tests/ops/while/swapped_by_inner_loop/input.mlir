func.func public @main(%x: tensor<9xi32>, %y: tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>) {
  // The inner loop changes the roles of three buffers, the outer one starts it with two of them in turn.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<4> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<9xi32>, tensor<9xi32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %1:3 = stablehlo.while(%k = %zero, %c = %b, %d = %a) : tensor<i32>, tensor<9xi32>, tensor<9xi32>
    cond {
      %p = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %l = stablehlo.add %k, %one : tensor<i32>
      %reversed = stablehlo.reverse %c, dims = [0] : tensor<9xi32>
      %n = stablehlo.add %reversed, %c : tensor<9xi32>
      stablehlo.return %l, %d, %n : tensor<i32>, tensor<9xi32>, tensor<9xi32>
    }
    stablehlo.return %j, %1#1, %1#2 : tensor<i32>, tensor<9xi32>, tensor<9xi32>
  }
  return %0#1, %0#2 : tensor<9xi32>, tensor<9xi32>
}
