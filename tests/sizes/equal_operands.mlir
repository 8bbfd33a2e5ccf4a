// sizes: a.0=1,a.1=2
// sizes: a.0=5,a.1=3
// refused: a.0=5,a.1=3,b.0=4 S1106
// refused: c.0=3 S1106
// open: a.0=9 a.1=5

// Operations require sizes of their operands to be equal, which nothing asserts: a sum in a function, and the dimension that a dot
// reduces, after other operations.
func.func private @sum(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.add %x, %y : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func public @main(%a: tensor<?x?xf32> loc("a"), %b: tensor<?x?xf32> loc("b"), %c: tensor<?x4xf32> loc("c")) -> (tensor<?x?xf32>, tensor<?x4xf32>) {
  %0 = call @sum(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.tanh %0 : tensor<?x?xf32>
  %2 = stablehlo.negate %c : tensor<?x4xf32>
  %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1, %3 : tensor<?x?xf32>, tensor<?x4xf32>
}
