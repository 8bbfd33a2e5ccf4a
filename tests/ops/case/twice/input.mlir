// range: 0 1
func.func public @main(%p: tensor<i32>, %x: tensor<4xi32>) -> (tensor<4xi32>, tensor<5xi32>, tensor<4xi32>) {
  // Both results of a branch are one value; one of them is changed later.
  %negative = stablehlo.negate %x : tensor<4xi32>
  %0:2 = "stablehlo.case"(%p) ({
    stablehlo.return %x, %x : tensor<4xi32>, tensor<4xi32>
  }, {
    stablehlo.return %negative, %negative : tensor<4xi32>, tensor<4xi32>
  }) : (tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %long = stablehlo.concatenate %0#1, %zero, dim = 0 : (tensor<4xi32>, tensor<1xi32>) -> tensor<5xi32>
  %at = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.constant dense<77> : tensor<2xi32>
  %1 = stablehlo.dynamic_update_slice %long, %u, %at : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  %2 = stablehlo.dynamic_update_slice %0#1, %u, %at : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  return %0#0, %1, %2 : tensor<4xi32>, tensor<5xi32>, tensor<4xi32>
}
