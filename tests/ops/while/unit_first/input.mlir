func.func public @main(%x: tensor<1x16xi32>, %y: tensor<1x16xi32>, %z: tensor<1x16xi32>) -> (tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>) {
  // States that move on: the next one is made of one that is still needed. A dimension of 1 is no reason to overwrite it.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<5> : tensor<i32>
  %0:4 = stablehlo.while(%i = %zero, %a = %x, %b = %y, %c = %z) : tensor<i32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %a, %x : tensor<1x16xi32>
    %n = stablehlo.subtract %s, %b : tensor<1x16xi32>
    stablehlo.return %j, %b, %c, %n : tensor<i32>, tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>
  }
  return %0#1, %0#2, %0#3 : tensor<1x16xi32>, tensor<1x16xi32>, tensor<1x16xi32>
}
