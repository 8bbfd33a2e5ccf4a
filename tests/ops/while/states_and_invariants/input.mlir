// plain
// ulp: 64
// range: 3 8
func.func public @main(%x: tensor<24xf32>, %k: tensor<i32>) -> tensor<24xf32> {
  // Beside what is the same in all trips, the same operations on what is not.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %eight = stablehlo.constant dense<8> : tensor<i32>
  %trips = stablehlo.clamp %one, %k, %eight : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<24xf32>
  cond {
    %c = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %same = stablehlo.sine %x : tensor<24xf32>
    %other = stablehlo.sine %s : tensor<24xf32>
    %t = stablehlo.subtract %other, %same : tensor<24xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %t : tensor<i32>, tensor<24xf32>
  }
  return %r#1 : tensor<24xf32>
}
