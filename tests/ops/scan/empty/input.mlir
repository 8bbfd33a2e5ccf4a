func.func public @main(%x: tensor<2x0xf32>, %init: tensor<2xf32>) -> (tensor<2x0xf32>, tensor<2xf32>) {
  %0:2 = chlo.scan(%x) inits(%init) dimension=1 {
  ^bb0(%row: tensor<2xf32>, %sum: tensor<2xf32>):
    %1 = stablehlo.add %row, %sum : tensor<2xf32>
    stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x0xf32>, tensor<2xf32>) -> (tensor<2x0xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x0xf32>, tensor<2xf32>
}
