func.func public @main(%x: tensor<37xf32>) -> tensor<37xf32> {
  // Each branch makes the next state from other elements of the old one.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %trips = stablehlo.constant dense<9> : tensor<i32>
  %half = stablehlo.constant dense<5.0e-01> : tensor<37xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<37xf32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %early = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %z = "stablehlo.if"(%early) ({
      %reversed = stablehlo.reverse %y, dims = [0] : tensor<37xf32>
      %less = stablehlo.multiply %reversed, %half : tensor<37xf32>
      %sum = stablehlo.add %less, %y : tensor<37xf32>
      stablehlo.return %sum : tensor<37xf32>
    }, {
      %reversed = stablehlo.reverse %y, dims = [0] : tensor<37xf32>
      %less = stablehlo.subtract %reversed, %half : tensor<37xf32>
      stablehlo.return %less : tensor<37xf32>
    }) : (tensor<i1>) -> tensor<37xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<37xf32>
  }
  return %0#1 : tensor<37xf32>
}
