func.func public @main(%x: tensor<9xi4>) -> tensor<9xi4> {
  %zero = stablehlo.constant dense<0> : tensor<i4>
  %one = stablehlo.constant dense<1> : tensor<i4>
  %last = stablehlo.constant dense<5> : tensor<i4>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i4>, tensor<9xi4>
  cond {
    %p = stablehlo.compare LT, %i, %last : (tensor<i4>, tensor<i4>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i4>
    %z = stablehlo.add %y, %x : tensor<9xi4>
    stablehlo.return %j, %z : tensor<i4>, tensor<9xi4>
  }
  return %0#1 : tensor<9xi4>
}
