func.func public @main(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  // The inner loop works on the places of the outer one, which goes on with whatever they are then.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<9> : tensor<i32>
  %half = stablehlo.constant dense<5.0e-01> : tensor<5x7xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<5x7xf32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%k = %zero, %s = %y) : tensor<i32>, tensor<5x7xf32>
    cond {
      %p = stablehlo.compare LE, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %l = stablehlo.add %k, %one : tensor<i32>
      %reversed = stablehlo.reverse %s, dims = [0, 1] : tensor<5x7xf32>
      %less = stablehlo.multiply %reversed, %half : tensor<5x7xf32>
      %t = stablehlo.add %s, %less : tensor<5x7xf32>
      stablehlo.return %l, %t : tensor<i32>, tensor<5x7xf32>
    }
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %1#1 : tensor<i32>, tensor<5x7xf32>
  }
  return %0#1 : tensor<5x7xf32>
}
