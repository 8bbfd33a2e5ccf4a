func.func public @main(%x: tensor<3xi32>, %y: tensor<2x3x4xi4>, %z: tensor<5xui4>) -> (tensor<3x8xui4>, tensor<2x3xf16>, tensor<5xf4E2M1FN>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xi32>) -> tensor<3x8xui4>
  %1 = stablehlo.bitcast_convert %y : (tensor<2x3x4xi4>) -> tensor<2x3xf16>
  %2 = stablehlo.bitcast_convert %z : (tensor<5xui4>) -> tensor<5xf4E2M1FN>
  return %0, %1, %2 : tensor<3x8xui4>, tensor<2x3xf16>, tensor<5xf4E2M1FN>
}
