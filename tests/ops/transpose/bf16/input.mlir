func.func public @main(%x: tensor<15x8xbf16>) -> tensor<8x15xbf16> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<15x8xbf16>) -> tensor<8x15xbf16>
  return %0 : tensor<8x15xbf16>
}
