// range: 3 9
func.func public @main(%n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  %2:2 = stablehlo.while(%i = %0, %s = %0) : tensor<i32>, tensor<i32>
  cond {
    %3 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %4 = stablehlo.add %i, %1 : tensor<i32>
    %5 = stablehlo.add %s, %i : tensor<i32>
    stablehlo.return %4, %5 : tensor<i32>, tensor<i32>
  }
  return %2#1 : tensor<i32>
}
