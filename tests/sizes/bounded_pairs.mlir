// sizes: a.0=3,a.1=5
// open: a.0=71 a.1=64
// Rows are computed apart, and have any number of columns up to a bound.
func.func public @main(%a: tensor<?x?xf32> loc("a"), %b: tensor<?x?xf32> loc("b")) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi1>) {
  %m0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %n0 = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %same0 = stablehlo.compare EQ, %n0, %m0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same0, %m0, %n0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %m1 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.get_dimension_size %b, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %same1 = stablehlo.compare EQ, %n1, %m1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same1, %m1, %n1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = stablehlo.add %a, %b : tensor<?x?xf32>
  %1 = stablehlo.exponential %a : tensor<?x?xf32>
  %2 = stablehlo.compare LT, %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi1>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi1>
}
