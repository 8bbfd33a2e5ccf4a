func.func public @main(%x0: tensor<f32>, %x1: tensor<0x3xf32>, %x2: tensor<5xbf16>, %x3: tensor<7xf8E4M3FN>, %x4: tensor<i32>, %x5: tensor<3x0xi16>, %x6: tensor<5xi4>) -> (tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>, tensor<7xf8E4M3FN>, tensor<i32>, tensor<3x0xi16>, tensor<5xi4>) {
  %0 = stablehlo.abs %x0 : tensor<f32>
  %1 = stablehlo.abs %x1 : tensor<0x3xf32>
  %2 = stablehlo.abs %x2 : tensor<5xbf16>
  %3 = stablehlo.abs %x3 : tensor<7xf8E4M3FN>
  %4 = stablehlo.abs %x4 : tensor<i32>
  %5 = stablehlo.abs %x5 : tensor<3x0xi16>
  %6 = stablehlo.abs %x6 : tensor<5xi4>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>, tensor<7xf8E4M3FN>, tensor<i32>, tensor<3x0xi16>, tensor<5xi4>
}
