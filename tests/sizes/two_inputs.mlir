// sizes: a.0=1
// sizes: a.0=5
// refused: a.0=5,b.0=3 S1106
// The second input has as many rows as the first, by assertion.
func.func public @main(%a: tensor<?x3xf32> loc("a"), %b: tensor<?x3xf32> loc("b")) -> (tensor<?x3xf32>, tensor<?x?xf32>) {
  %m = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %n = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %m, %n) {error_message = "{0} and {1} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = stablehlo.add %a, %b : tensor<?x3xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?x?xf32>
}
