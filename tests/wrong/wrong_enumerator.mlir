func.func public @main() -> tensor<4xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %a, %s) {rng_distribution = 3} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
