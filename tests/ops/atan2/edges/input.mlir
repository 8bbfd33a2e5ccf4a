// ulp: 3
func.func public @main(%x0: tensor<f32>, %y0: tensor<f32>, %x1: tensor<0x3xf32>, %y1: tensor<0x3xf32>, %x2: tensor<5xbf16>, %y2: tensor<5xbf16>, %x3: tensor<7xf8E4M3FN>, %y3: tensor<7xf8E4M3FN>) -> (tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>, tensor<7xf8E4M3FN>) {
  %0 = stablehlo.atan2 %x0, %y0 : tensor<f32>
  %1 = stablehlo.atan2 %x1, %y1 : tensor<0x3xf32>
  %2 = stablehlo.atan2 %x2, %y2 : tensor<5xbf16>
  %3 = stablehlo.atan2 %x3, %y3 : tensor<7xf8E4M3FN>
  return %0, %1, %2, %3 : tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>, tensor<7xf8E4M3FN>
}
