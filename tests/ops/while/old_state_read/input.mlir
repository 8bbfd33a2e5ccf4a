func.func public @main(%x: tensor<2x1x6xi32>, %s: tensor<i32>) -> (tensor<i32>, tensor<2x1x6xi32>) {
  // The old state is summed behind the operation that makes the new one.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<3> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %sum = %s) : tensor<i32>, tensor<2x1x6xi32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %twice = stablehlo.add %a, %a : tensor<2x1x6xi32>
    %total = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1, 2]
      : (tensor<2x1x6xi32>, tensor<i32>) -> tensor<i32>
    %next = stablehlo.add %sum, %total : tensor<i32>
    stablehlo.return %j, %twice, %next : tensor<i32>, tensor<2x1x6xi32>, tensor<i32>
  }
  return %0#2, %0#1 : tensor<i32>, tensor<2x1x6xi32>
}
