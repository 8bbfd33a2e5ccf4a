func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  // Two states of the inner loop change places, and the outer loop goes on with one of them.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<3x5xi32>
  cond {
    %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1:3 = stablehlo.while(%j = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<3x5xi32>, tensor<3x5xi32>
    cond {
      %p = stablehlo.compare LT, %j, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %sum = stablehlo.add %s, %a : tensor<3x5xi32>
      %next = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %next, %b, %sum : tensor<i32>, tensor<3x5xi32>, tensor<3x5xi32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %1#2 : tensor<i32>, tensor<3x5xi32>
  }
  return %0#1 : tensor<3x5xi32>
}
