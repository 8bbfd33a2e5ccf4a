// uniform: 0
func.func public @main(%x: tensor<i32>) -> tensor<3x5xi32> {
  // One state becomes a constant, two others move on. What becomes one of these is made of the first, but not in its place.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<4> : tensor<i32>
  %fixed = stablehlo.constant dense<7> : tensor<3x5xi32>
  %start = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<i32>) -> tensor<3x5xi32>
  %0:4 = stablehlo.while(%i = %zero, %a = %start, %b = %start, %c = %fixed)
    : tensor<i32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>
  cond {
    %go = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %u = stablehlo.add %a, %a : tensor<3x5xi32>
    stablehlo.return %j, %fixed, %c, %u : tensor<i32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>
  }
  %1 = stablehlo.maximum %start, %0#1 : tensor<3x5xi32>
  %2 = stablehlo.compare GE, %0#3, %fixed : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x5xi1>
  %3 = stablehlo.select %2, %1, %0#2 : tensor<3x5xi1>, tensor<3x5xi32>
  return %3 : tensor<3x5xi32>
}
