// range: 0 1
func.func public @main(%p: tensor<i32>, %x: tensor<7xi32>) -> tensor<3x7xi32> {
  // Each row is what a branch made of the one before, or that row itself.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %q = stablehlo.subtract %one, %p : tensor<i32>
  %u = stablehlo.constant dense<77> : tensor<1xi32>
  %empty = stablehlo.constant dense<0> : tensor<3x7xi32>
  %start = stablehlo.negate %x : tensor<7xi32>
  %a = "stablehlo.case"(%p) ({
    stablehlo.return %start : tensor<7xi32>
  }, {
    %n = stablehlo.dynamic_update_slice %start, %u, %one : (tensor<7xi32>, tensor<1xi32>, tensor<i32>) -> tensor<7xi32>
    stablehlo.return %n : tensor<7xi32>
  }) : (tensor<i32>) -> tensor<7xi32>
  %row0 = stablehlo.reshape %a : (tensor<7xi32>) -> tensor<1x7xi32>
  %0 = stablehlo.dynamic_update_slice %empty, %row0, %zero, %zero
    : (tensor<3x7xi32>, tensor<1x7xi32>, tensor<i32>, tensor<i32>) -> tensor<3x7xi32>
  %b = "stablehlo.case"(%q) ({
    stablehlo.return %a : tensor<7xi32>
  }, {
    %n = stablehlo.dynamic_update_slice %a, %u, %two : (tensor<7xi32>, tensor<1xi32>, tensor<i32>) -> tensor<7xi32>
    stablehlo.return %n : tensor<7xi32>
  }) : (tensor<i32>) -> tensor<7xi32>
  %row1 = stablehlo.reshape %b : (tensor<7xi32>) -> tensor<1x7xi32>
  %1 = stablehlo.dynamic_update_slice %0, %row1, %one, %zero
    : (tensor<3x7xi32>, tensor<1x7xi32>, tensor<i32>, tensor<i32>) -> tensor<3x7xi32>
  %c = "stablehlo.case"(%p) ({
    stablehlo.return %b : tensor<7xi32>
  }, {
    %n = stablehlo.dynamic_update_slice %b, %u, %zero : (tensor<7xi32>, tensor<1xi32>, tensor<i32>) -> tensor<7xi32>
    stablehlo.return %n : tensor<7xi32>
  }) : (tensor<i32>) -> tensor<7xi32>
  %row2 = stablehlo.reshape %c : (tensor<7xi32>) -> tensor<1x7xi32>
  %2 = stablehlo.dynamic_update_slice %1, %row2, %two, %zero
    : (tensor<3x7xi32>, tensor<1x7xi32>, tensor<i32>, tensor<i32>) -> tensor<3x7xi32>
  return %2 : tensor<3x7xi32>
}
