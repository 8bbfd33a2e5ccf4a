// sizes: x.0=5
// every: x.0=11
// open: x.0=67
// Rows that a loop takes, of an input, of its product with a matrix, which is one before the loop, and of what is computed.
func.func public @main(%x: tensor<?x64xi32> loc("x"), %w: tensor<64x256xi32>, %v: tensor<64x256xi32>) -> (tensor<256xi32>, tensor<256xi32>, tensor<64xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x64xi32>) -> tensor<i32>
  %last = stablehlo.subtract %n, %one : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<256xi32>
  %few = stablehlo.constant dense<0> : tensor<64xi32>
  %0:2 = stablehlo.while(%i = %zero, %h = %none) : tensor<i32>, tensor<256xi32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 64] : (tensor<?x64xi32>, tensor<i32>, tensor<i32>) -> tensor<1x64xi32>
    %r = stablehlo.reshape %row : (tensor<1x64xi32>) -> tensor<64xi32>
    %d = stablehlo.dot_general %r, %w, contracting_dims = [0] x [0] : (tensor<64xi32>, tensor<64x256xi32>) -> tensor<256xi32>
    %e = stablehlo.add %h, %h : tensor<256xi32>
    %s = stablehlo.add %d, %e : tensor<256xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %s : tensor<i32>, tensor<256xi32>
  }
  // From the last row to the first.
  %1:2 = stablehlo.while(%i = %zero, %h = %none) : tensor<i32>, tensor<256xi32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %row = stablehlo.dynamic_slice %x, %at, %zero, sizes = [1, 64] : (tensor<?x64xi32>, tensor<i32>, tensor<i32>) -> tensor<1x64xi32>
    %r = stablehlo.reshape %row : (tensor<1x64xi32>) -> tensor<64xi32>
    %d = stablehlo.dot_general %r, %v, contracting_dims = [0] x [0] : (tensor<64xi32>, tensor<64x256xi32>) -> tensor<256xi32>
    %e = stablehlo.add %h, %h : tensor<256xi32>
    %s = stablehlo.add %d, %e : tensor<256xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %s : tensor<i32>, tensor<256xi32>
  }
  // Places up to the last row, three trips longer than there are rows.
  %three = stablehlo.constant dense<3> : tensor<i32>
  %more = stablehlo.add %n, %three : tensor<i32>
  %y = stablehlo.multiply %x, %x : tensor<?x64xi32>
  %z = stablehlo.reverse %y, dims = [1] : tensor<?x64xi32>
  %2:2 = stablehlo.while(%i = %zero, %h = %few) : tensor<i32>, tensor<64xi32>
  cond {
    %c = stablehlo.compare LT, %i, %more : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %z, %i, %zero, sizes = [1, 64] : (tensor<?x64xi32>, tensor<i32>, tensor<i32>) -> tensor<1x64xi32>
    %r = stablehlo.reshape %row : (tensor<1x64xi32>) -> tensor<64xi32>
    %e = stablehlo.add %h, %h : tensor<64xi32>
    %s = stablehlo.add %r, %e : tensor<64xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %s : tensor<i32>, tensor<64xi32>
  }
  return %0#1, %1#1, %2#1 : tensor<256xi32>, tensor<256xi32>, tensor<64xi32>
}
