func.func public @main(%x: tensor<11xi32>, %y: tensor<11xi32>, %p: tensor<i1>) -> tensor<11xi32> {
  // The inner loop begins a state with what a branch chose, and overwrites it before anything reads it.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %chosen = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<11xi32>
  }, {
    stablehlo.return %y : tensor<11xi32>
  }) : (tensor<i1>) -> tensor<11xi32>
  %0:2 = stablehlo.while(%i = %zero, %s = %y) : tensor<i32>, tensor<11xi32>
  cond {
    %go = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %1:3 = stablehlo.while(%j = %zero, %a = %y, %b = %chosen) : tensor<i32>, tensor<11xi32>, tensor<11xi32>
    cond {
      %go = stablehlo.compare LE, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %sum = stablehlo.multiply %a, %y : tensor<11xi32>
      %less = stablehlo.subtract %a, %x : tensor<11xi32>
      %next = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %next, %sum, %less : tensor<i32>, tensor<11xi32>, tensor<11xi32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %1#2 : tensor<i32>, tensor<11xi32>
  }
  return %0#1 : tensor<11xi32>
}
