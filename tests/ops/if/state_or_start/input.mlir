func.func public @main(%p: tensor<i1>, %x: tensor<19xi32>) -> (tensor<19xi32>, tensor<19xi32>) {
  // The next state is made of the old one and of what may be the old one.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<3> : tensor<i32>
  %q = stablehlo.not %p : tensor<i1>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x) : tensor<i32>, tensor<19xi32>, tensor<19xi32>
  cond {
    %go = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %y = "stablehlo.if"(%p) ({
      stablehlo.return %x : tensor<19xi32>
    }, {
      stablehlo.return %a : tensor<19xi32>
    }) : (tensor<i1>) -> tensor<19xi32>
    %z = "stablehlo.if"(%q) ({
      stablehlo.return %b : tensor<19xi32>
    }, {
      stablehlo.return %a : tensor<19xi32>
    }) : (tensor<i1>) -> tensor<19xi32>
    %c = stablehlo.multiply %a, %y : tensor<19xi32>
    %d = stablehlo.add %b, %z : tensor<19xi32>
    stablehlo.return %j, %c, %d : tensor<i32>, tensor<19xi32>, tensor<19xi32>
  }
  return %0#1, %0#2 : tensor<19xi32>, tensor<19xi32>
}
