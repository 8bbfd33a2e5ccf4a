func.func public @main(%x: tensor<37x3xf32>, %y: tensor<2x70x2xi8>, %z: tensor<3x21x4xf64>, %w: tensor<40x3xbf16>) -> (tensor<3x37xf32>, tensor<2x2x70xi8>, tensor<3x4x21xf64>, tensor<3x40xbf16>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<37x3xf32>) -> tensor<3x37xf32>
  %1 = stablehlo.transpose %y, dims = [0, 2, 1] : (tensor<2x70x2xi8>) -> tensor<2x2x70xi8>
  %2 = stablehlo.transpose %z, dims = [0, 2, 1] : (tensor<3x21x4xf64>) -> tensor<3x4x21xf64>
  %3 = stablehlo.transpose %w, dims = [1, 0] : (tensor<40x3xbf16>) -> tensor<3x40xbf16>
  return %0, %1, %2, %3 : tensor<3x37xf32>, tensor<2x2x70xi8>, tensor<3x4x21xf64>, tensor<3x40xbf16>
}
