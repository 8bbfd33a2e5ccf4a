// plain
// ulp: 8
func.func public @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // Powers of a matrix: the next state needs all of the old one.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<9> : tensor<i32>
  %tenth = stablehlo.constant dense<1.25e-01> : tensor<3x3xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<3x3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.dot %y, %x : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %w = stablehlo.multiply %z, %tenth : tensor<3x3xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<3x3xf32>
  }
  return %0#1 : tensor<3x3xf32>
}
