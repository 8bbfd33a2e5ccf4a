// plain
func.func public @main(%base: tensor<128xi16> {tf.aliasing_output = 0 : i32}) -> tensor<128xi16> {
  // The part that is computed overlaps the one that it is computed from, five elements further on.
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %x = stablehlo.slice %base [0:64] : (tensor<128xi16>) -> tensor<64xi16>
  %y = stablehlo.multiply %x, %x : tensor<64xi16>
  %big2 = stablehlo.dynamic_update_slice %base, %y, %c5 : (tensor<128xi16>, tensor<64xi16>, tensor<i32>) -> tensor<128xi16>
  return %big2 : tensor<128xi16>
}
