// expect: schedule "transpose 8"
func.func public @main(%x0: tensor<52x37xf32>, %x1: tensor<70x33xi8>, %x2: tensor<3x35x20xbf16>, %x3: tensor<33x40xf64>) -> (tensor<37x52xf32>, tensor<33x70xi8>, tensor<3x20x35xbf16>, tensor<40x33xf64>) {
  %r0 = stablehlo.transpose %x0, dims = [1, 0] : (tensor<52x37xf32>) -> tensor<37x52xf32>
  %r1 = stablehlo.transpose %x1, dims = [1, 0] : (tensor<70x33xi8>) -> tensor<33x70xi8>
  %r2 = stablehlo.transpose %x2, dims = [0, 2, 1] : (tensor<3x35x20xbf16>) -> tensor<3x20x35xbf16>
  %r3 = stablehlo.transpose %x3, dims = [1, 0] : (tensor<33x40xf64>) -> tensor<40x33xf64>
  return %r0, %r1, %r2, %r3 : tensor<37x52xf32>, tensor<33x70xi8>, tensor<3x20x35xbf16>, tensor<40x33xf64>
}
