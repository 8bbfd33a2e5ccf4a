// uniform: 0
// plain
func.func public @main(%x0_0: tensor<f8E4M3FN>, %x0_1: tensor<5xf8E4M3FN>, %x1_0: tensor<0x1xbf16>, %x1_1: tensor<3xbf16>) -> (tensor<5xf8E4M3FN>, tensor<0x3xbf16>) {
  %r0 = chlo.broadcast_minimum %x0_0, %x0_1 : (tensor<f8E4M3FN>, tensor<5xf8E4M3FN>) -> tensor<5xf8E4M3FN>
  %r1 = chlo.broadcast_minimum %x1_0, %x1_1 : (tensor<0x1xbf16>, tensor<3xbf16>) -> tensor<0x3xbf16>
  return %r0, %r1 : tensor<5xf8E4M3FN>, tensor<0x3xbf16>
}
