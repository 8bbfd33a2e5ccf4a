// range: 1 3
func.func public @main(%x: tensor<4xi32>, %limit: tensor<4xi32>) -> tensor<4xi32> {
  // The inner loop has no number among its states: what vectorising a loop leaves.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<3> : tensor<i32>
  %no = stablehlo.constant dense<false> : tensor<i1>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xi32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.while(%v = %a) : tensor<4xi32>
    cond {
      %below = stablehlo.compare LT, %v, %limit : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %any = stablehlo.reduce(%below init: %no) applies stablehlo.or across dimensions = [0]
        : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %any : tensor<i1>
    } do {
      %u = stablehlo.add %v, %x : tensor<4xi32>
      stablehlo.return %u : tensor<4xi32>
    }
    %more = stablehlo.subtract %w, %limit : tensor<4xi32>
    stablehlo.return %j, %more : tensor<i32>, tensor<4xi32>
  }
  return %0#1 : tensor<4xi32>
}
