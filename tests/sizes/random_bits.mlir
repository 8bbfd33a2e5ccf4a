// sizes: n.0=3
// sizes: n.0=0
// Bits whose number is known beside one that is not: a call of known shape is the operation with given sizes, too.
func.func public @main(%n: tensor<?xi32> loc("n"), %key: tensor<2xui64> loc("key")) -> (tensor<5xi32>, tensor<2xui64>, tensor<?xi32>) {
  %five = stablehlo.constant dense<5> : tensor<i32>
  %shape = stablehlo.reshape %five : (tensor<i32>) -> tensor<1xi32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%key, %shape) {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<5xi32>)
  return %0#1, %0#0, %n : tensor<5xi32>, tensor<2xui64>, tensor<?xi32>
}
