// range: 0 6

// Of each window the element of the highest rank receives the source, weighted by a table.
func.func public @main(%x: tensor<6x8xi32>, %source: tensor<3x4xi32>, %ranks: tensor<7xi32>) -> tensor<6x8xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %zero) <{
    window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>
  }> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %ra = stablehlo.dynamic_slice %ranks, %a, sizes = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
    %rb = stablehlo.dynamic_slice %ranks, %b, sizes = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
    %more = stablehlo.compare GE, %ra, %rb : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %keeps = stablehlo.reshape %more : (tensor<1xi1>) -> tensor<i1>
    stablehlo.return %keeps : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %weight = stablehlo.dynamic_slice %ranks, %b, sizes = [1] : (tensor<7xi32>, tensor<i32>) -> tensor<1xi32>
    %by = stablehlo.reshape %weight : (tensor<1xi32>) -> tensor<i32>
    %more = stablehlo.multiply %by, %b : tensor<i32>
    %sum = stablehlo.add %a, %more : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<6x8xi32>, tensor<3x4xi32>, tensor<i32>) -> tensor<6x8xi32>
  return %0 : tensor<6x8xi32>
}
