func.func public @main(%x: tensor<9xi4>) -> (tensor<2xi4>, tensor<0xi4>) {
  %a = stablehlo.constant dense<1> : tensor<1xi32>
  %b = stablehlo.constant dense<7> : tensor<1xi32>
  %c = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c : (tensor<9xi4>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xi4>
  %1 = stablehlo.real_dynamic_slice %x, %a, %a, %c : (tensor<9xi4>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<0xi4>
  return %0, %1 : tensor<2xi4>, tensor<0xi4>
}
