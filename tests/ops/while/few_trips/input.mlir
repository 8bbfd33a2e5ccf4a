// plain
func.func public @main(%x: tensor<72xf32>) -> (tensor<72xf32>, tensor<i32>) {
  // Few trips whose number is known: 1, 3, 5 and out.
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %r:2 = stablehlo.while(%i = %one, %s = %x) : tensor<i32>, tensor<72xf32>
  cond {
    %c = stablehlo.compare LT, %i, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %two : tensor<i32>
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<72xf32>
    %t = stablehlo.add %s, %b : tensor<72xf32>
    stablehlo.return %n, %t : tensor<i32>, tensor<72xf32>
  }
  return %r#1, %r#0 : tensor<72xf32>, tensor<i32>
}
