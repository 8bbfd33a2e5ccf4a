func.func public @main(%a: tensor<64x3xbf16>, %b: tensor<65x3xf16>) -> tensor<64x65xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<64x3xbf16>, tensor<65x3xf16>) -> tensor<64x65xbf16>
  return %0 : tensor<64x65xbf16>
}
