func.func public @main(%x: tensor<37xf32>, %y: tensor<37xf32>) -> (tensor<37xf32>, tensor<37xf32>, tensor<37xf32>) {
  // Three states change places, one of them is new: (a, b, c) -> (b, c, a + c / 2).
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<10> : tensor<i32>
  %half = stablehlo.constant dense<5.0e-01> : tensor<37xf32>
  %0:4 = stablehlo.while(%i = %zero, %a = %x, %b = %y, %c = %x) : tensor<i32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %less = stablehlo.multiply %c, %half : tensor<37xf32>
    %d = stablehlo.add %a, %less : tensor<37xf32>
    stablehlo.return %j, %b, %c, %d : tensor<i32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<37xf32>, tensor<37xf32>, tensor<37xf32>
}
