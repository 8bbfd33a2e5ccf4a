// plain
// absolute: 1e-4
func.func public @main(%x: tensor<11x64xf32>, %w: tensor<64x256xf32>, %h0: tensor<256xf32>, %y: tensor<2x10x64xi32>, %v: tensor<2x64x256xi32>, %s: tensor<9x64xi32>, %k: tensor<9xi32>, %u: tensor<64x256xi32>) -> (tensor<256xf32>, tensor<2x1x256xi32>, tensor<256xi32>, tensor<256xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %eleven = stablehlo.constant dense<11> : tensor<i32>
  // Rows in the other order, which lose their dimension.
  %0:2 = stablehlo.while(%i = %zero, %h = %h0) : tensor<i32>, tensor<256xf32>
  cond {
    %c = stablehlo.compare LT, %i, %eleven : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %at = stablehlo.subtract %ten, %i : tensor<i32>
    %row = stablehlo.dynamic_slice %x, %at, %zero, sizes = [1, 64] : (tensor<11x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %r = stablehlo.reshape %row : (tensor<1x64xf32>) -> tensor<64xf32>
    %d = stablehlo.dot_general %r, %w, contracting_dims = [0] x [0] : (tensor<64xf32>, tensor<64x256xf32>) -> tensor<256xf32>
    %half = stablehlo.constant dense<0.5> : tensor<256xf32>
    %m = stablehlo.multiply %h, %half : tensor<256xf32>
    %n = stablehlo.add %d, %m : tensor<256xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<256xf32>
  }
  // Rows of two batches, which keep it; positions beyond the end are the last one.
  %init = stablehlo.constant dense<0> : tensor<2x1x256xi32>
  %1:2 = stablehlo.while(%i = %one, %h = %init) : tensor<i32>, tensor<2x1x256xi32>
  cond {
    %c = stablehlo.compare LT, %i, %eleven : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %y, %zero, %i, %zero, sizes = [2, 1, 64] : (tensor<2x10x64xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x1x64xi32>
    %d = stablehlo.dot_general %row, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x1x64xi32>, tensor<2x64x256xi32>) -> tensor<2x1x256xi32>
    %e = stablehlo.add %h, %h : tensor<2x1x256xi32>
    %n = stablehlo.add %d, %e : tensor<2x1x256xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<2x1x256xi32>
  }
  // Positions that values say, some of which are the same.
  %none = stablehlo.constant dense<0> : tensor<256xi32>
  %2:2 = stablehlo.while(%i = %zero, %h = %none) : tensor<i32>, tensor<256xi32>
  cond {
    %c = stablehlo.compare LT, %i, %nine : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %p = stablehlo.dynamic_slice %k, %i, sizes = [1] : (tensor<9xi32>, tensor<i32>) -> tensor<1xi32>
    %at = stablehlo.reshape %p : (tensor<1xi32>) -> tensor<i32>
    %row = stablehlo.dynamic_slice %s, %at, %zero, sizes = [1, 64] : (tensor<9x64xi32>, tensor<i32>, tensor<i32>) -> tensor<1x64xi32>
    %r = stablehlo.reshape %row : (tensor<1x64xi32>) -> tensor<64xi32>
    %d = stablehlo.dot_general %r, %u, contracting_dims = [0] x [0] : (tensor<64xi32>, tensor<64x256xi32>) -> tensor<256xi32>
    %e = stablehlo.add %h, %h : tensor<256xi32>
    %n = stablehlo.add %d, %e : tensor<256xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<256xi32>
  }
  // What is multiplied changes.
  %3:3 = stablehlo.while(%i = %zero, %h = %none, %t = %u) : tensor<i32>, tensor<256xi32>, tensor<64x256xi32>
  cond {
    %c = stablehlo.compare LT, %i, %nine : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %s, %i, %zero, sizes = [1, 64] : (tensor<9x64xi32>, tensor<i32>, tensor<i32>) -> tensor<1x64xi32>
    %r = stablehlo.reshape %row : (tensor<1x64xi32>) -> tensor<64xi32>
    %d = stablehlo.dot_general %r, %t, contracting_dims = [0] x [0] : (tensor<64xi32>, tensor<64x256xi32>) -> tensor<256xi32>
    %n = stablehlo.add %d, %h : tensor<256xi32>
    %g = stablehlo.add %t, %t : tensor<64x256xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n, %g : tensor<i32>, tensor<256xi32>, tensor<64x256xi32>
  }
  return %0#1, %1#1, %2#1, %3#1 : tensor<256xf32>, tensor<2x1x256xi32>, tensor<256xi32>, tensor<256xi32>
}
