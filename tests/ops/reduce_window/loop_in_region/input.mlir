// range: 1 90

// The greatest common divisor of each window, which strides and is dilated, over a padded and dilated operand.
func.func public @main(%x: tensor<6x9xi32>) -> (tensor<3x5xi32>, tensor<6x9xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{
    window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>,
    window_dilations = array<i64: 1, 2>, base_dilations = array<i64: 1, 2>,
    padding = dense<[[0, 1], [2, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %w:2 = stablehlo.while(%p = %a, %q = %b) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare NE, %q, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.remainder %p, %q : tensor<i32>
      stablehlo.return %q, %r : tensor<i32>, tensor<i32>
    }
    stablehlo.return %w#0 : tensor<i32>
  }) : (tensor<6x9xi32>, tensor<i32>) -> tensor<3x5xi32>
  // Windows that hold a row up to each element: a running divisor.
  %1 = "stablehlo.reduce_window"(%x, %zero) <{
    window_dimensions = array<i64: 1, 9>, padding = dense<[[0, 0], [8, 0]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %w:2 = stablehlo.while(%p = %a, %q = %b) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare NE, %q, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.remainder %p, %q : tensor<i32>
      stablehlo.return %q, %r : tensor<i32>, tensor<i32>
    }
    stablehlo.return %w#0 : tensor<i32>
  }) : (tensor<6x9xi32>, tensor<i32>) -> tensor<6x9xi32>
  return %0, %1 : tensor<3x5xi32>, tensor<6x9xi32>
}
