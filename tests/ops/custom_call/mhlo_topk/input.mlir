// plain
func.func public @main(%x: tensor<3x7xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  // How artifacts of JAX up to 0.6 hold `chlo.top_k`.
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64}
    : (tensor<3x7xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi32>
}
