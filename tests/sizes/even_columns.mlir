// sizes: x.0=3,y.0=5
// sizes: x.0=3,y.0=6
// open: x.0=20 y.0=33
// every: x.0=9,y.0=33
// A size that no loop ends at: the output has as many columns as the largest even number not above a size. It is not used in place.
func.func public @main(%x: tensor<?xf32> loc("x"), %y: tensor<?xf32> loc("y")) -> tensor<?x?xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %some = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some) {has_side_effect = true} : (tensor<i1>) -> ()
  %more = stablehlo.compare GE, %m, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%more) {has_side_effect = true} : (tensor<i1>) -> ()
  %odd = stablehlo.remainder %m, %two : tensor<i32>
  %even = stablehlo.subtract %m, %odd : tensor<i32>
  %ns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %es = stablehlo.reshape %even : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %ns, %es, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %wide = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %sum = stablehlo.add %wide, %wide : tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}
