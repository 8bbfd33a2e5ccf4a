func.func public @main(%x0: tensor<3x17x5x7xf32>, %x1: tensor<33x3x11xf32>, %x2: tensor<7x7x18xf32>, %x3: tensor<2x3x9x4x5xf64>, %x4: tensor<17x5x7xbf16>, %x5: tensor<20x3x3x3xi8>, %x6: tensor<40x1x19xi32>, %x7: tensor<5x7x16xi1>, %x8: tensor<17x4x4xcomplex<f32>>, %x9: tensor<16x16x16xf32>, %x10: tensor<3x0x5x7xf32>) -> (tensor<3x5x7x17xf32>, tensor<3x11x33xf32>, tensor<18x7x7xf32>, tensor<2x4x5x3x9xf64>, tensor<5x7x17xbf16>, tensor<3x3x3x20xi8>, tensor<1x19x40xi32>, tensor<16x5x7xi1>, tensor<4x4x17xcomplex<f32>>, tensor<16x16x16xf32>, tensor<3x5x7x0xf32>) {
  %r0 = stablehlo.transpose %x0, dims = [0, 2, 3, 1] : (tensor<3x17x5x7xf32>) -> tensor<3x5x7x17xf32>
  %r1 = stablehlo.transpose %x1, dims = [1, 2, 0] : (tensor<33x3x11xf32>) -> tensor<3x11x33xf32>
  %r2 = stablehlo.transpose %x2, dims = [2, 0, 1] : (tensor<7x7x18xf32>) -> tensor<18x7x7xf32>
  %r3 = stablehlo.transpose %x3, dims = [0, 3, 4, 1, 2] : (tensor<2x3x9x4x5xf64>) -> tensor<2x4x5x3x9xf64>
  %r4 = stablehlo.transpose %x4, dims = [1, 2, 0] : (tensor<17x5x7xbf16>) -> tensor<5x7x17xbf16>
  %r5 = stablehlo.transpose %x5, dims = [1, 2, 3, 0] : (tensor<20x3x3x3xi8>) -> tensor<3x3x3x20xi8>
  %r6 = stablehlo.transpose %x6, dims = [1, 2, 0] : (tensor<40x1x19xi32>) -> tensor<1x19x40xi32>
  %r7 = stablehlo.transpose %x7, dims = [2, 0, 1] : (tensor<5x7x16xi1>) -> tensor<16x5x7xi1>
  %r8 = stablehlo.transpose %x8, dims = [1, 2, 0] : (tensor<17x4x4xcomplex<f32>>) -> tensor<4x4x17xcomplex<f32>>
  %r9 = stablehlo.transpose %x9, dims = [1, 2, 0] : (tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
  %r10 = stablehlo.transpose %x10, dims = [0, 2, 3, 1] : (tensor<3x0x5x7xf32>) -> tensor<3x5x7x0xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10 : tensor<3x5x7x17xf32>, tensor<3x11x33xf32>, tensor<18x7x7xf32>, tensor<2x4x5x3x9xf64>, tensor<5x7x17xbf16>, tensor<3x3x3x20xi8>, tensor<1x19x40xi32>, tensor<16x5x7xi1>, tensor<4x4x17xcomplex<f32>>, tensor<16x16x16xf32>, tensor<3x5x7x0xf32>
}
