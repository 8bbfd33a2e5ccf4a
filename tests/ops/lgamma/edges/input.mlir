// ulp: 1
func.func public @main(%x0: tensor<f32>, %x1: tensor<0x3xf32>, %x2: tensor<5xbf16>, %x3: tensor<7xf8E4M3FN>) -> (tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>, tensor<7xf8E4M3FN>) {
  %0 = chlo.lgamma %x0 : tensor<f32> -> tensor<f32>
  %1 = chlo.lgamma %x1 : tensor<0x3xf32> -> tensor<0x3xf32>
  %2 = chlo.lgamma %x2 : tensor<5xbf16> -> tensor<5xbf16>
  %3 = chlo.lgamma %x3 : tensor<7xf8E4M3FN> -> tensor<7xf8E4M3FN>
  return %0, %1, %2, %3 : tensor<f32>, tensor<0x3xf32>, tensor<5xbf16>, tensor<7xf8E4M3FN>
}
