// rows: a.0
// refused: a.0=5,b.0=4 S1106

// The rows of all three inputs are as many, because a sum and a choice take them one by one: they are computed apart.
func.func public @main(%a: tensor<?x4xf32> loc("a"), %b: tensor<?x4xf32> loc("b"), %c: tensor<?x4xi1> loc("c")) -> tensor<?x4xf32> {
  %0 = stablehlo.add %a, %b : tensor<?x4xf32>
  %1 = stablehlo.select %c, %0, %b : (tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
