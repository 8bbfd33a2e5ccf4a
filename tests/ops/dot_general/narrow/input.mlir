// absolute: 1e-4
// plain
func.func public @main(%x: tensor<3x2x4xbf16>, %y: tensor<4x3x5xbf16>) -> tensor<3x2x5xbf16> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [1], contracting_dims = [2] x [0]
    : (tensor<3x2x4xbf16>, tensor<4x3x5xbf16>) -> tensor<3x2x5xbf16>
  return %0 : tensor<3x2x5xbf16>
}
