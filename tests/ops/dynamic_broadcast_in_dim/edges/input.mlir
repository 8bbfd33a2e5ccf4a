// uniform: 0
func.func public @main(%x: tensor<i4>, %y: tensor<1xf8E5M2>) -> (tensor<3xi4>, tensor<0x5xf8E5M2>) {
  %a = stablehlo.constant dense<3> : tensor<1xi32>
  %b = stablehlo.constant dense<[0, 5]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %a, dims = [] : (tensor<i4>, tensor<1xi32>) -> tensor<3xi4>
  %1 = stablehlo.dynamic_broadcast_in_dim %y, %b, dims = [1] : (tensor<1xf8E5M2>, tensor<2xi64>) -> tensor<0x5xf8E5M2>
  return %0, %1 : tensor<3xi4>, tensor<0x5xf8E5M2>
}
