func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.multiply %a, %b : tensor<i32>
    %2 = stablehlo.maximum %1, %a : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }) : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
