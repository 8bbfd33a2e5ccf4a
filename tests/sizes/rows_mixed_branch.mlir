// mixes: x.0 the branch depends on rows
func.func public @main(%x: tensor<?x4xf32> loc("x")) -> tensor<?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %many = stablehlo.compare GT, %n, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%many) ({
    %t = stablehlo.tanh %x : tensor<?x4xf32>
    stablehlo.return %t : tensor<?x4xf32>
  }, {
    stablehlo.return %x : tensor<?x4xf32>
  }) : (tensor<i1>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
