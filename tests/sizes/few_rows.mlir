// sizes: x.1=3
// every: x.1=19
// open: x.1=100
// Products of a matrix whose rows are of open length with a vector, and sorts along an open dimension: few elements have code of their own.
func.func public @main(%x: tensor<20x?xf32> loc("x"), %v: tensor<?xf32> loc("v"), %y: tensor<?x20xf32> loc("y")) -> (tensor<20xf32>, tensor<20xf32>, tensor<?x20xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<20x?xf32>) -> tensor<i32>
  %v0 = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %y0 = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x20xf32>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %n, %v0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %n, %y0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %n, %v0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %n, %y0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<20x?xf32>, tensor<?xf32>) -> tensor<20xf32>
  %1 = stablehlo.dot_general %v, %x, contracting_dims = [0] x [1] : (tensor<?xf32>, tensor<20x?xf32>) -> tensor<20xf32>
  %2 = "stablehlo.sort"(%y) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<?x20xf32>) -> tensor<?x20xf32>
  return %0, %1, %2 : tensor<20xf32>, tensor<20xf32>, tensor<?x20xf32>
}
