func.func public @main(%x: tensor<9x5xi32> {tf.aliasing_output = 0 : i32}) -> tensor<9x5xi32> {
  // A column in the input's own buffer, computed from the one beside it.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %twos = stablehlo.constant dense<2> : tensor<9x5xi32>
  %0 = stablehlo.subtract %x, %twos : tensor<9x5xi32>
  %1 = stablehlo.slice %0 [0:9, 1:2] : (tensor<9x5xi32>) -> tensor<9x1xi32>
  %2 = stablehlo.negate %1 : tensor<9x1xi32>
  %3 = stablehlo.dynamic_update_slice %0, %2, %zero, %two
    : (tensor<9x5xi32>, tensor<9x1xi32>, tensor<i32>, tensor<i32>) -> tensor<9x5xi32>
  return %3 : tensor<9x5xi32>
}
