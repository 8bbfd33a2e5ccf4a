// sizes: a.0=4
// refused: a.0=3 S1106
// An operation relies on a size that nothing asserts.
func.func public @main(%a: tensor<?xf32> loc("a"), %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %b : (tensor<4xf32>) -> tensor<?xf32>
  %1 = stablehlo.add %a, %0 : tensor<?xf32>
  %2 = stablehlo.convert %1 : (tensor<?xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
