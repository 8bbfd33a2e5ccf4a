// plain
// range: 0 5
func.func public @main(%x: tensor<4x3xf32>, %y: tensor<12xf32>, %k: tensor<i32>) -> (tensor<4x3xf32>, tensor<12xf32>) {
  // Two states that change places under each other's shape: no loop can rename these buffers.
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %trips = stablehlo.clamp %c0, %k, %c5 : tensor<i32>
  %r:3 = stablehlo.while(%i = %c0, %s = %x, %t = %y) : tensor<i32>, tensor<4x3xf32>, tensor<12xf32>
  cond {
    %c = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %c1 : tensor<i32>
    %flat = stablehlo.reshape %s : (tensor<4x3xf32>) -> tensor<12xf32>
    %square = stablehlo.reshape %t : (tensor<12xf32>) -> tensor<4x3xf32>
    stablehlo.return %n, %square, %flat : tensor<i32>, tensor<4x3xf32>, tensor<12xf32>
  }
  return %r#1, %r#2 : tensor<4x3xf32>, tensor<12xf32>
}
