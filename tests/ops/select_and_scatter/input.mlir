func.func public @main(%x: tensor<5x7xi32>, %source: tensor<3x4xi32>) -> tensor<5x7xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %zero) <{
    window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>,
    padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<5x7xi32>, tensor<3x4xi32>, tensor<i32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}
