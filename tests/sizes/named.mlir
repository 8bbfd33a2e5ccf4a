// sizes: n=1
// sizes: n=3
// sizes: n=17
// refused: n=0 S1106
// refused: n=-1 S1106
// refused: n=4611686018427387904 S1106
// refused: m=2 S1106
// The name of a symbol is that of the argument which its value is passed to; d is 2*n.
func.func public @main(%x: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?xi32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rest = stablehlo.remainder %d, %two : tensor<i32>
  %even = stablehlo.compare EQ, %rest, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%even, %d) {error_message = "{0} rows are odd", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %n = call @floor(%d, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %enough = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %n) {error_message = "{0} pairs are too few", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %0:2 = call @body(%n, %x) : (tensor<i32>, tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?xi32>)
  return %0#0, %0#1 : tensor<?x8xf32>, tensor<?xi32>
}
func.func private @floor(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %q = stablehlo.divide %a, %b : tensor<i32>
  %r = stablehlo.remainder %a, %b : tensor<i32>
  %p = stablehlo.sign %a : tensor<i32>
  %s = stablehlo.sign %b : tensor<i32>
  %differ = stablehlo.compare NE, %p, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %inexact = stablehlo.compare NE, %r, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %down = stablehlo.and %differ, %inexact : tensor<i1>
  %less = stablehlo.subtract %q, %one : tensor<i32>
  %0 = stablehlo.select %down, %less, %q : tensor<i1>, tensor<i32>
  return %0 : tensor<i32>
}
func.func private @body(%n: tensor<i32> {jax.global_constant = "n"}, %x: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?xi32>) {
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x8xf32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %1 = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<?x8xf32>
  %triple = stablehlo.multiply %n, %three : tensor<i32>
  %length = stablehlo.reshape %triple : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.dynamic_iota %length, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %2, %3 : tensor<?x8xf32>, tensor<?xi32>
}
