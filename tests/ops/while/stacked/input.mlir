func.func public @main(%x: tensor<9x37xf32>) -> (tensor<37xf32>, tensor<9x37xf32>) {
  // A scan: the rows of one state are written in place, one per trip.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<9> : tensor<i32>
  %half = stablehlo.constant dense<5.0e-01> : tensor<37xf32>
  %none = stablehlo.constant dense<0.0> : tensor<37xf32>
  %rows = stablehlo.constant dense<0.0> : tensor<9x37xf32>
  %0:3 = stablehlo.while(%i = %zero, %c = %none, %s = %rows) : tensor<i32>, tensor<37xf32>, tensor<9x37xf32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 37] : (tensor<9x37xf32>, tensor<i32>, tensor<i32>) -> tensor<1x37xf32>
    %flat = stablehlo.reshape %row : (tensor<1x37xf32>) -> tensor<37xf32>
    %less = stablehlo.multiply %c, %half : tensor<37xf32>
    %d = stablehlo.add %less, %flat : tensor<37xf32>
    %new = stablehlo.reshape %d : (tensor<37xf32>) -> tensor<1x37xf32>
    %t = stablehlo.dynamic_update_slice %s, %new, %i, %zero : (tensor<9x37xf32>, tensor<1x37xf32>, tensor<i32>, tensor<i32>) -> tensor<9x37xf32>
    stablehlo.return %j, %d, %t : tensor<i32>, tensor<37xf32>, tensor<9x37xf32>
  }
  return %0#1, %0#2 : tensor<37xf32>, tensor<9x37xf32>
}
