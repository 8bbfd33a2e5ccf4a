func.func public @main() -> tensor<3xf32> {
  %0 = stablehlo.constant dense<[1.0, -2.5, 3.0]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}
