// range: 1 24
// uniform: 1

// The greatest common divisor of each row, and of each column with 24.
func.func public @main(%x: tensor<9x3xi32>) -> (tensor<9xi32>, tensor<3xi32>, tensor<9x3xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.constant dense<24> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<9x3xi32>, tensor<i32>) -> tensor<9xi32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %w:2 = stablehlo.while(%p = %a, %q = %b) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare NE, %q, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.remainder %p, %q : tensor<i32>
      stablehlo.return %q, %r : tensor<i32>, tensor<i32>
    }
    stablehlo.return %w#0 : tensor<i32>
  }
  %1 = stablehlo.reduce(%x init: %start) across dimensions = [0] : (tensor<9x3xi32>, tensor<i32>) -> tensor<3xi32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %w:2 = stablehlo.while(%p = %a, %q = %b) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare NE, %q, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.remainder %p, %q : tensor<i32>
      stablehlo.return %q, %r : tensor<i32>, tensor<i32>
    }
    stablehlo.return %w#0 : tensor<i32>
  }
  // No dimension: each element with 24.
  %2 = stablehlo.reduce(%x init: %start) across dimensions = [] : (tensor<9x3xi32>, tensor<i32>) -> tensor<9x3xi32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %w:2 = stablehlo.while(%p = %a, %q = %b) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare NE, %q, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.remainder %p, %q : tensor<i32>
      stablehlo.return %q, %r : tensor<i32>, tensor<i32>
    }
    stablehlo.return %w#0 : tensor<i32>
  }
  return %0, %1, %2 : tensor<9xi32>, tensor<3xi32>, tensor<9x3xi32>
}
