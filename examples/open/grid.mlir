// A grid of any number of rows, with up to 100 columns (`--max x.1=100`).
func.func public @main(%x: tensor<?x?xf32> loc("x"), %y: tensor<?x?xf32> loc("y")) -> tensor<?x?xf32> {
  %m0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %n0 = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %same0 = stablehlo.compare EQ, %n0, %m0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same0, %m0, %n0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %m1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.get_dimension_size %y, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %same1 = stablehlo.compare EQ, %n1, %m1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same1, %m1, %n1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = stablehlo.multiply %x, %y : tensor<?x?xf32>
  %1 = stablehlo.add %0, %y : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
