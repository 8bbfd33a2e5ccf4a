// The places of positive scores. How many there are depends on values: the type says that it is at most 9.
func.func public @main(%scores: tensor<9xf32> loc("scores"))
    -> (tensor<?xi32, #stablehlo.bounds<9>> {jax.result_info = "places"}) {
  %none = stablehlo.constant dense<0.0> : tensor<9xf32>
  %positive = stablehlo.compare GT, %scores, %none : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
  %ones = stablehlo.convert %positive : (tensor<9xi1>) -> tensor<9xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %count = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9xi32>, tensor<i32>) -> tensor<i32>
  // Places that are to be kept come first, in order.
  %others = stablehlo.not %positive : tensor<9xi1>
  %all = stablehlo.iota dim = 0 : tensor<9xi32>
  %sorted:2 = "stablehlo.sort"(%others, %all) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>, %c: tensor<i32>, %d: tensor<i32>):
    %before = stablehlo.compare LT, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %before : tensor<i1>
  }) : (tensor<9xi1>, tensor<9xi32>) -> (tensor<9xi1>, tensor<9xi32>)
  %places = stablehlo.set_dimension_size %sorted#1, %count, dim = 0 : (tensor<9xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<9>>
  return %places : tensor<?xi32, #stablehlo.bounds<9>>
}
