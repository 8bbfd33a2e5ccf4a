func.func public @main(%x: tensor<3x3xi8>, %y: tensor<3x3xi8>) -> (tensor<3x3xi8>, tensor<3x3xi8>) {
  // Two states become the same array, which a branch chooses: at times one that lies in the place of a third state.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %trips = stablehlo.constant dense<4> : tensor<i32>
  %0:4 = stablehlo.while(%i = %zero, %a = %y, %b = %x, %c = %x)
    : tensor<i32>, tensor<3x3xi8>, tensor<3x3xi8>, tensor<3x3xi8>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %transposed = stablehlo.transpose %c, dims = [1, 0] : (tensor<3x3xi8>) -> tensor<3x3xi8>
    %rows = stablehlo.slice %transposed [1:3, 0:3] : (tensor<3x3xi8>) -> tensor<2x3xi8>
    %changed = stablehlo.dynamic_update_slice %b, %rows, %zero, %zero
      : (tensor<3x3xi8>, tensor<2x3xi8>, tensor<i32>, tensor<i32>) -> tensor<3x3xi8>
    %early = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %next = "stablehlo.if"(%early) ({
      stablehlo.return %transposed : tensor<3x3xi8>
    }, {
      stablehlo.return %changed : tensor<3x3xi8>
    }) : (tensor<i1>) -> tensor<3x3xi8>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %a, %next : tensor<i32>, tensor<3x3xi8>, tensor<3x3xi8>, tensor<3x3xi8>
  }
  return %0#2, %0#3 : tensor<3x3xi8>, tensor<3x3xi8>
}
