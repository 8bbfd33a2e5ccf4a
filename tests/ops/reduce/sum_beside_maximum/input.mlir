// plain
func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<6xi32> {
  // Two results of one reduction, side by side in one tensor.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %low = stablehlo.constant dense<-100000> : tensor<i32>
  %r:2 = "stablehlo.reduce"(%x, %y, %zero, %low) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %s = stablehlo.add %a, %c : tensor<i32>
    %m = stablehlo.maximum %b, %d : tensor<i32>
    stablehlo.return %s, %m : tensor<i32>, tensor<i32>
  }) : (tensor<3x5xi32>, tensor<3x5xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
  %all = stablehlo.concatenate %r#0, %r#1, dim = 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  return %all : tensor<6xi32>
}
