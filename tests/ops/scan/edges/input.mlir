// range: -9 9
func.func public @main(%x: tensor<5xi4>, %init: tensor<i4>, %y: tensor<0x3xf32>, %start: tensor<3xf32>) -> (tensor<5xi4>, tensor<i4>, tensor<0x3xf32>, tensor<3xf32>) {
  %0:2 = chlo.scan(%x) inits(%init) dimension=0 {
  ^bb0(%row: tensor<i4>, %sum: tensor<i4>):
    %1 = stablehlo.add %row, %sum : tensor<i4>
    stablehlo.return %1, %1 : tensor<i4>, tensor<i4>
  } : (tensor<5xi4>, tensor<i4>) -> (tensor<5xi4>, tensor<i4>)
  %2:2 = chlo.scan(%y) inits(%start) dimension=0 {
  ^bb0(%row: tensor<3xf32>, %sum: tensor<3xf32>):
    %3 = stablehlo.add %row, %sum : tensor<3xf32>
    stablehlo.return %3, %3 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<0x3xf32>, tensor<3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %2#0, %2#1 : tensor<5xi4>, tensor<i4>, tensor<0x3xf32>, tensor<3xf32>
}
