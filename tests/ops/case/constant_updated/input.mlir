// range: 0 1
func.func public @main(%p: tensor<i32>, %x: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  // One branch is a constant, which lies in memory that cannot be written.
  %one = stablehlo.constant dense<1> : tensor<i32>
  %q = stablehlo.subtract %one, %p : tensor<i32>
  %fixed = stablehlo.constant dense<[15, 25, 35, 45]> : tensor<4xi64>
  %u = stablehlo.constant dense<7> : tensor<1xi64>
  %first = "stablehlo.case"(%p) ({
    stablehlo.return %fixed : tensor<4xi64>
  }, {
    stablehlo.return %x : tensor<4xi64>
  }) : (tensor<i32>) -> tensor<4xi64>
  %second = "stablehlo.case"(%q) ({
    stablehlo.return %fixed : tensor<4xi64>
  }, {
    %square = stablehlo.multiply %x, %x : tensor<4xi64>
    stablehlo.return %square : tensor<4xi64>
  }) : (tensor<i32>) -> tensor<4xi64>
  %0 = stablehlo.dynamic_update_slice %first, %u, %p : (tensor<4xi64>, tensor<1xi64>, tensor<i32>) -> tensor<4xi64>
  %1 = stablehlo.dynamic_update_slice %second, %u, %q : (tensor<4xi64>, tensor<1xi64>, tensor<i32>) -> tensor<4xi64>
  return %0, %1 : tensor<4xi64>, tensor<4xi64>
}
