func.func public @main() -> (tensor<9xi4>, tensor<9xf8E4M3FN>, tensor<2x7xui2>) {
  %0 = stablehlo.iota dim = 0 : tensor<9xi4>
  %1 = stablehlo.iota dim = 0 : tensor<9xf8E4M3FN>
  %2 = stablehlo.iota dim = 1 : tensor<2x7xui2>
  return %0, %1, %2 : tensor<9xi4>, tensor<9xf8E4M3FN>, tensor<2x7xui2>
}
