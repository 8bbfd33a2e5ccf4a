// range: -9 9

// The carry goes on unchanged and the output is the input: both are arguments of the body.
func.func public @main(%x: tensor<3xi32>, %init: tensor<i32>) -> (tensor<3xi32>, tensor<i32>) {
  %0:2 = chlo.scan(%x) inits(%init) dimension=0 attributes {is_reverse = true} {
  ^bb0(%row: tensor<i32>, %sum: tensor<i32>):
    stablehlo.return %sum, %row : tensor<i32>, tensor<i32>
  } : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, tensor<i32>)
  return %0#0, %0#1 : tensor<3xi32>, tensor<i32>
}
