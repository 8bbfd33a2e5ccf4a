// range: 0 3
func.func public @main(%x: tensor<13x2xi32>, %y: tensor<13x2xui8>) -> (tensor<13x2xi32>, tensor<13x2xui8>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<ui8>, %d: tensor<ui8>):
    %1 = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<13x2xi32>, tensor<13x2xui8>) -> (tensor<13x2xi32>, tensor<13x2xui8>)
  return %0#0, %0#1 : tensor<13x2xi32>, tensor<13x2xui8>
}
