// plain
// range: 0 5
func.func public @main(%x: tensor<4x3xf32>, %y: tensor<12xf32>, %z: tensor<2x6xf32>, %k: tensor<i32>) -> (tensor<4x3xf32>, tensor<12xf32>, tensor<2x6xf32>) {
  // Three states that change places, each under another shape: their copies happen as if all at once.
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %trips = stablehlo.clamp %c0, %k, %c5 : tensor<i32>
  %r:4 = stablehlo.while(%i = %c0, %a = %x, %b = %y, %d = %z) : tensor<i32>, tensor<4x3xf32>, tensor<12xf32>, tensor<2x6xf32>
  cond {
    %c = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %c1 : tensor<i32>
    %p = stablehlo.reshape %b : (tensor<12xf32>) -> tensor<4x3xf32>
    %q = stablehlo.reshape %d : (tensor<2x6xf32>) -> tensor<12xf32>
    %s = stablehlo.reshape %a : (tensor<4x3xf32>) -> tensor<2x6xf32>
    stablehlo.return %n, %p, %q, %s : tensor<i32>, tensor<4x3xf32>, tensor<12xf32>, tensor<2x6xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<4x3xf32>, tensor<12xf32>, tensor<2x6xf32>
}
