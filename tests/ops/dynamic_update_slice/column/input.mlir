func.func public @main(%x: tensor<16x7xi32> {tf.aliasing_output = 0 : i32}) -> tensor<16x7xi32> {
  // A column in the input's own buffer, computed from the one beside it.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.add %x, %x : tensor<16x7xi32>
  %1 = stablehlo.slice %0 [0:16, 0:1] : (tensor<16x7xi32>) -> tensor<16x1xi32>
  %2 = stablehlo.negate %1 : tensor<16x1xi32>
  %3 = stablehlo.dynamic_update_slice %0, %2, %zero, %one
    : (tensor<16x7xi32>, tensor<16x1xi32>, tensor<i32>, tensor<i32>) -> tensor<16x7xi32>
  return %3 : tensor<16x7xi32>
}
