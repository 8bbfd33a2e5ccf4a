func.func public @main(%x: tensor<3x1xi4>, %y: tensor<0x3xf8E5M2>) -> (tensor<3xi4>, tensor<5x0xf8E5M2>) {
  %a = stablehlo.constant dense<3> : tensor<1xi32>
  %b = stablehlo.constant dense<[5, 0]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %a : (tensor<3x1xi4>, tensor<1xi32>) -> tensor<3xi4>
  %1 = stablehlo.dynamic_reshape %y, %b : (tensor<0x3xf8E5M2>, tensor<2xi64>) -> tensor<5x0xf8E5M2>
  return %0, %1 : tensor<3xi4>, tensor<5x0xf8E5M2>
}
