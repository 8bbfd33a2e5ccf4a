// plain
// absolute: 1e-5
func.func public @main(%x: tensor<19x12xf32>, %b: tensor<12xf32>, %y: tensor<4x5x15xf32>, %c: tensor<4x15xf32>, %z: tensor<17x7xf64>, %d: tensor<17xf64>, %w: tensor<16x5xf32>, %e: tensor<5xf32>, %n: tensor<18x63xi8>, %m: tensor<63xi8>, %h: tensor<33x31xbf16>, %k: tensor<31xbf16>) -> (tensor<19x12xf32>, tensor<4x5x15xf32>, tensor<17x7xf64>, tensor<17x7xf64>, tensor<16x5xf32>, tensor<18x63xi8>, tensor<33x31xbf16>) {
  %b0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<12xf32>) -> tensor<19x12xf32>
  %0 = stablehlo.multiply %x, %b0 : tensor<19x12xf32>
  %1 = stablehlo.add %0, %b0 : tensor<19x12xf32>
  %c0 = stablehlo.broadcast_in_dim %c, dims = [0, 2] : (tensor<4x15xf32>) -> tensor<4x5x15xf32>
  %2 = stablehlo.tanh %y : tensor<4x5x15xf32>
  %3 = stablehlo.subtract %2, %c0 : tensor<4x5x15xf32>
  %d0 = stablehlo.broadcast_in_dim %d, dims = [0] : (tensor<17xf64>) -> tensor<17x7xf64>
  %4 = stablehlo.subtract %z, %d0 : tensor<17x7xf64>
  %5 = stablehlo.multiply %4, %d0 : tensor<17x7xf64>
  %6 = stablehlo.divide %z, %d0 : tensor<17x7xf64>
  %e0 = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<5xf32>) -> tensor<16x5xf32>
  %t = stablehlo.tanh %w : tensor<16x5xf32>
  %7 = stablehlo.add %t, %e0 : tensor<16x5xf32>
  %m0 = stablehlo.broadcast_in_dim %m, dims = [1] : (tensor<63xi8>) -> tensor<18x63xi8>
  %8 = stablehlo.multiply %n, %m0 : tensor<18x63xi8>
  %9 = stablehlo.subtract %8, %m0 : tensor<18x63xi8>
  %k0 = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<31xbf16>) -> tensor<33x31xbf16>
  %10 = stablehlo.multiply %h, %k0 : tensor<33x31xbf16>
  %11 = stablehlo.add %10, %k0 : tensor<33x31xbf16>
  return %1, %3, %5, %6, %7, %9, %11 : tensor<19x12xf32>, tensor<4x5x15xf32>, tensor<17x7xf64>, tensor<17x7xf64>, tensor<16x5xf32>, tensor<18x63xi8>, tensor<33x31xbf16>
}
