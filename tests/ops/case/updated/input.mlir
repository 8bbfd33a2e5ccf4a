// range: 0 1
func.func public @main(%p: tensor<i32>, %x: tensor<5xi32>, %y: tensor<5xi32>, %u: tensor<2xi32>)
    -> (tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) {
  // What a branch hands through is an input, which the update must not write.
  %one = stablehlo.constant dense<1> : tensor<i32>
  %q = stablehlo.subtract %one, %p : tensor<i32>
  %chosen = "stablehlo.case"(%p) ({
    stablehlo.return %x : tensor<5xi32>
  }, {
    stablehlo.return %y : tensor<5xi32>
  }) : (tensor<i32>) -> tensor<5xi32>
  %other = "stablehlo.case"(%q) ({
    stablehlo.return %x : tensor<5xi32>
  }, {
    stablehlo.return %y : tensor<5xi32>
  }) : (tensor<i32>) -> tensor<5xi32>
  %0 = stablehlo.dynamic_update_slice %chosen, %u, %one : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  %1 = stablehlo.dynamic_update_slice %other, %u, %p : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  %2 = stablehlo.add %chosen, %x : tensor<5xi32>
  return %0, %1, %2 : tensor<5xi32>, tensor<5xi32>, tensor<5xi32>
}
