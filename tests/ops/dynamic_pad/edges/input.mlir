// uniform: 1
func.func public @main(%x: tensor<3xi4>, %v: tensor<i4>, %y: tensor<0xf8E5M2>, %w: tensor<f8E5M2>) -> (tensor<4xi4>, tensor<3xf8E5M2>) {
  %m = stablehlo.constant dense<-1> : tensor<1xi32>
  %z = stablehlo.constant dense<0> : tensor<1xi32>
  %o = stablehlo.constant dense<1> : tensor<1xi32>
  %t = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %m, %z, %o : (tensor<3xi4>, tensor<i4>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi4>
  %1 = stablehlo.dynamic_pad %y, %w, %t, %z, %o : (tensor<0xf8E5M2>, tensor<f8E5M2>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf8E5M2>
  return %0, %1 : tensor<4xi4>, tensor<3xf8E5M2>
}
