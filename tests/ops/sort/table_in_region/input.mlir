// range: 0 6

// By the ranks that a table gives to the numbers; equal ranks stay in order, which the second operand shows. 117 numbers
// are enough for digits, were there a key.
func.func public @main(%x: tensor<3x9xi32>, %long: tensor<117xi32>, %ranks: tensor<7xi32>) -> (tensor<3x9xi32>, tensor<3x9xi32>, tensor<117xi32>, tensor<117xi32>) {
  %places = stablehlo.iota dim = 1 : tensor<3x9xi32>
  %0:2 = "stablehlo.sort"(%x, %places) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %pa: tensor<i32>, %pb: tensor<i32>):
    %ra = stablehlo.dynamic_slice %ranks, %a, sizes = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
    %rb = stablehlo.dynamic_slice %ranks, %b, sizes = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
    %less = stablehlo.compare LT, %ra, %rb : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %comes = stablehlo.reshape %less : (tensor<1xi1>) -> tensor<i1>
    stablehlo.return %comes : tensor<i1>
  }) : (tensor<3x9xi32>, tensor<3x9xi32>) -> (tensor<3x9xi32>, tensor<3x9xi32>)
  %all = stablehlo.iota dim = 0 : tensor<117xi32>
  %1:2 = "stablehlo.sort"(%long, %all) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %pa: tensor<i32>, %pb: tensor<i32>):
    %ea = stablehlo.dynamic_slice %ranks, %a, sizes = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
    %eb = stablehlo.dynamic_slice %ranks, %b, sizes = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
    %ra = stablehlo.reshape %ea : (tensor<1xi32>) -> tensor<i32>
    %rb = stablehlo.reshape %eb : (tensor<1xi32>) -> tensor<i32>
    %comes = stablehlo.compare GT, %ra, %rb : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %comes : tensor<i1>
  }) : (tensor<117xi32>, tensor<117xi32>) -> (tensor<117xi32>, tensor<117xi32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<3x9xi32>, tensor<3x9xi32>, tensor<117xi32>, tensor<117xi32>
}
