// mixes: x.0 how often it runs depends on rows
func.func public @main(%x: tensor<?x4xf32> loc("x")) -> tensor<?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %i1 = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %i0, %y = %x) : tensor<i32>, tensor<?x4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %t = stablehlo.tanh %y : tensor<?x4xf32>
      %next = stablehlo.add %i, %i1 : tensor<i32>
      stablehlo.return %next, %t : tensor<i32>, tensor<?x4xf32>
    }
  return %0#1 : tensor<?x4xf32>
}
