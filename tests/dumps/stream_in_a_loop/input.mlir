// What a nest reads element by element is read again in the next trip: its result must not lie there.
func.func public @main(%arg: tensor<16xf32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %x = stablehlo.reverse %arg, dims = [0] : tensor<16xf32>
  %r:2 = stablehlo.while(%i = %zero, %acc = %arg) : tensor<i32>, tensor<16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %x, %acc : tensor<16xf32>
    %t = stablehlo.reverse %s, dims = [0] : tensor<16xf32>
    stablehlo.return %n, %t : tensor<i32>, tensor<16xf32>
  }
  return %r#1 : tensor<16xf32>
}
