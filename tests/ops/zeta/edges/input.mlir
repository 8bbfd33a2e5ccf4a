// uniform: 0 2
// plain
// ulp: 4
func.func public @main(%x0: tensor<f32>, %y0: tensor<f32>, %x1: tensor<0x3xf32>, %y1: tensor<0x3xf32>, %x2: tensor<5xbf16>, %y2: tensor<5xbf16>) -> (tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>) {
  %0 = chlo.zeta %x0, %y0 : tensor<f32>, tensor<f32> -> tensor<f32>
  %1 = chlo.zeta %x1, %y1 : tensor<0x3xf32>, tensor<0x3xf32> -> tensor<0x3xf32>
  %2 = chlo.zeta %x2, %y2 : tensor<5xbf16>, tensor<5xbf16> -> tensor<5xbf16>
  return %0, %1, %2 : tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>
}
