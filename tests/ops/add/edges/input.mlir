func.func public @main(%x0: tensor<f32>, %y0: tensor<f32>, %x1: tensor<0x3xf32>, %y1: tensor<0x3xf32>, %x2: tensor<5xbf16>, %y2: tensor<5xbf16>, %x3: tensor<7xf8E4M3FN>, %y3: tensor<7xf8E4M3FN>, %x4: tensor<i32>, %y4: tensor<i32>, %x5: tensor<3x0xi16>, %y5: tensor<3x0xi16>, %x6: tensor<5xi4>, %y6: tensor<5xi4>, %x7: tensor<7xui2>, %y7: tensor<7xui2>) -> (tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>, tensor<7xf8E4M3FN>, tensor<i32>, tensor<3x0xi16>, tensor<5xi4>, tensor<7xui2>) {
  %0 = stablehlo.add %x0, %y0 : tensor<f32>
  %1 = stablehlo.add %x1, %y1 : tensor<0x3xf32>
  %2 = stablehlo.add %x2, %y2 : tensor<5xbf16>
  %3 = stablehlo.add %x3, %y3 : tensor<7xf8E4M3FN>
  %4 = stablehlo.add %x4, %y4 : tensor<i32>
  %5 = stablehlo.add %x5, %y5 : tensor<3x0xi16>
  %6 = stablehlo.add %x6, %y6 : tensor<5xi4>
  %7 = stablehlo.add %x7, %y7 : tensor<7xui2>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>, tensor<7xf8E4M3FN>, tensor<i32>, tensor<3x0xi16>, tensor<5xi4>, tensor<7xui2>
}
