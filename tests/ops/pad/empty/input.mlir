// uniform: 0
func.func public @main(%x: tensor<0xi32>, %v: tensor<i32>) -> tensor<3xi32> {
  // What is padded has no element, and stands behind the last one of the result.
  %0 = stablehlo.negate %x : tensor<0xi32>
  %1 = stablehlo.pad %0, %v, low = [3], high = [0], interior = [0] : (tensor<0xi32>, tensor<i32>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}
