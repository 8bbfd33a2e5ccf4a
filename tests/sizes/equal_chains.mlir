// sizes: x.0=1
// sizes: x.0=5
// refused: x.0=5,y.0=5 S1106
// open: x.0=9

// That a dimension is as large as another follows from two operations, the later one first: `x` is square, because the sum has the
// rows of `x` and those of `y`, which are as many as `x` has columns.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %y: tensor<?x3xf32> loc("y")) -> tensor<?x3xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = stablehlo.add %0, %y : tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
