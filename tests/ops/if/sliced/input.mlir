func.func public @main(%p: tensor<i1>, %x: tensor<4x6xi32>, %y: tensor<4x6xi32>, %i: tensor<i32>)
    -> (tensor<3x1xi32>, tensor<12xi32>, tensor<2x3x1xi32>) {
  // Slices of what a branch hands through, under other shapes: no buffer is all of one of them.
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4x6xi32>
  }, {
    stablehlo.return %y : tensor<4x6xi32>
  }) : (tensor<i1>) -> tensor<4x6xi32>
  %column = stablehlo.slice %0 [0:3, 2:3] : (tensor<4x6xi32>) -> tensor<3x1xi32>
  %flat = stablehlo.reshape %column : (tensor<3x1xi32>) -> tensor<3xi32>
  %up = stablehlo.reshape %flat : (tensor<3xi32>) -> tensor<3x1xi32>
  %1 = stablehlo.negate %up : tensor<3x1xi32>
  %rows = stablehlo.dynamic_slice %0, %i, %i, sizes = [2, 6] : (tensor<4x6xi32>, tensor<i32>, tensor<i32>) -> tensor<2x6xi32>
  %2 = stablehlo.reshape %rows : (tensor<2x6xi32>) -> tensor<12xi32>
  %part = stablehlo.slice %0 [0:4:2, 1:6:2] : (tensor<4x6xi32>) -> tensor<2x3xi32>
  %3 = stablehlo.reshape %part : (tensor<2x3xi32>) -> tensor<2x3x1xi32>
  return %1, %2, %3 : tensor<3x1xi32>, tensor<12xi32>, tensor<2x3x1xi32>
}
