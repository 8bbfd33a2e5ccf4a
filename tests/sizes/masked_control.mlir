// sizes: x.0=4,x.1=3
// open: x.0=9 x.1=17
// Loops and branches on values of open size, as often as there are rows.
func.func public @main(%x: tensor<?x?xf32> loc("x")) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %0:2 = stablehlo.while(%v = %x, %i = %first) : tensor<?x?xf32>, tensor<i32>
    cond {
      %more = stablehlo.compare LT, %i, %rows, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %s = stablehlo.cosine %v : tensor<?x?xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %s, %next : tensor<?x?xf32>, tensor<i32>
    }
  %sums = stablehlo.reduce(%0#0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %total = stablehlo.reduce(%sums init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %half = stablehlo.constant dense<20.0> : tensor<f32>
  %large = stablehlo.compare GT, %total, %half, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %1 = "stablehlo.if"(%large) ({
      %n = stablehlo.negate %sums : tensor<?xf32>
      stablehlo.return %n : tensor<?xf32>
  }, {
      %d = stablehlo.add %sums, %sums : tensor<?xf32>
      stablehlo.return %d : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %0#0, %1, %0#1 : tensor<?x?xf32>, tensor<?xf32>, tensor<i32>
}
