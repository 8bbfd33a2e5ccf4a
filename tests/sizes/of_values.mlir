// refused: x.0=4 S1101
// A size that follows from a value.
func.func public @main(%x: tensor<?xf32> loc("x"), %n: tensor<i32>) -> tensor<?xf32> {
  %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
