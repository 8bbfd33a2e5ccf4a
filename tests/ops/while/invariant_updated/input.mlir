// plain
// range: 4 9
func.func public @main(%arg0: tensor<8x8xf32>, %k: tensor<i32>) -> tensor<8x8xf32> {
  // What is updated in each trip is the same in all of them: it must not be overwritten.
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c9 = stablehlo.constant dense<9> : tensor<i32>
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %c3 = stablehlo.clamp %c4, %k, %c9 : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %x = "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %r:2 = stablehlo.while(%i = %c0, %acc = %z) : tensor<i32>, tensor<8x8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %c1 : tensor<i32>
    %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<1x8xf32>
    %t = stablehlo.dynamic_update_slice %x, %b, %i, %c0 : (tensor<8x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
    %u = "stablehlo.sort"(%t) <{dimension = 1 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %a = stablehlo.add %acc, %u : tensor<8x8xf32>
    stablehlo.return %n, %a : tensor<i32>, tensor<8x8xf32>
  }
  return %r#1 : tensor<8x8xf32>
}
