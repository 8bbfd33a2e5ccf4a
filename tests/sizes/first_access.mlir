// sizes: x.0=3,x.1=5
// open: x.0=5 x.1=9
// every: x.0=5,x.1=9
// Fewer rows than a vector has lanes: the first operation of the program is an access to an argument.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %b: tensor<?xf32> loc("b")) -> tensor<?x?xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %own = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %own, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same) {has_side_effect = true} : (tensor<i1>) -> ()
  %has = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%has) {has_side_effect = true} : (tensor<i1>) -> ()
  %more = stablehlo.compare GE, %m, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%more) {has_side_effect = true} : (tensor<i1>) -> ()
  %ns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %ms = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %ns, %ms, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %rows = stablehlo.dynamic_broadcast_in_dim %b, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %sum = stablehlo.add %x, %rows : tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}
