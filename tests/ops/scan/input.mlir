// range: -9 9
func.func public @main(%x: tensor<2x5xi32>, %init: tensor<2xi32>) -> (tensor<2x5xi32>, tensor<2xi32>) {
  %0:2 = chlo.scan(%x) inits(%init) dimension=1 {
  ^bb0(%row: tensor<2xi32>, %sum: tensor<2xi32>):
    %1 = stablehlo.add %row, %sum : tensor<2xi32>
    stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x5xi32>, tensor<2xi32>) -> (tensor<2x5xi32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2x5xi32>, tensor<2xi32>
}
