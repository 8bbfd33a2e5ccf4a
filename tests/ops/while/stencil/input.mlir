func.func public @main(%x: tensor<37xf32>) -> tensor<37xf32> {
  // The next state reads the neighbours of the old one: the loop has two buffers in turns.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<11> : tensor<i32>
  %half = stablehlo.constant dense<5.0e-01> : tensor<35xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<37xf32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %left = stablehlo.slice %y [0:35] : (tensor<37xf32>) -> tensor<35xf32>
    %right = stablehlo.slice %y [2:37] : (tensor<37xf32>) -> tensor<35xf32>
    %sum = stablehlo.add %left, %right : tensor<35xf32>
    %mean = stablehlo.multiply %sum, %half : tensor<35xf32>
    %first = stablehlo.slice %y [0:1] : (tensor<37xf32>) -> tensor<1xf32>
    %last = stablehlo.slice %y [36:37] : (tensor<37xf32>) -> tensor<1xf32>
    %z = stablehlo.concatenate %first, %mean, %last, dim = 0
      : (tensor<1xf32>, tensor<35xf32>, tensor<1xf32>) -> tensor<37xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<37xf32>
  }
  return %0#1 : tensor<37xf32>
}
