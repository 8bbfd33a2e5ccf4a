func.func public @main() -> (tensor<5xi4>, tensor<3x0xf8E5M2>) {
  %a = stablehlo.constant dense<5> : tensor<1xi32>
  %b = stablehlo.constant dense<[3, 0]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %a, dim = 0 : (tensor<1xi32>) -> tensor<5xi4>
  %1 = stablehlo.dynamic_iota %b, dim = 0 : (tensor<2xi64>) -> tensor<3x0xf8E5M2>
  return %0, %1 : tensor<5xi4>, tensor<3x0xf8E5M2>
}
