func.func public @main(%x: tensor<33x70xf32>, %k: tensor<2310xi32>) -> (tensor<33x70xf32>, tensor<33x70xf32>, tensor<2310xi32>, tensor<2310xi32>) {
  // Places within nests, in both dimensions and with several users, and 64-bit counters taken apart.
  %zero = stablehlo.constant dense<0.0> : tensor<33x70xf32>
  %row = stablehlo.iota dim = 0 : tensor<33x70xi32>
  %column = stablehlo.iota dim = 1 : tensor<33x70xi32>
  %0 = stablehlo.compare GE, %row, %column : (tensor<33x70xi32>, tensor<33x70xi32>) -> tensor<33x70xi1>
  %1 = stablehlo.select %0, %x, %zero : tensor<33x70xi1>, tensor<33x70xf32>
  %2 = stablehlo.add %row, %column : tensor<33x70xi32>
  %3 = stablehlo.convert %2 : (tensor<33x70xi32>) -> tensor<33x70xf32>
  %4 = stablehlo.subtract %3, %x : tensor<33x70xf32>
  %shift = stablehlo.constant dense<32> : tensor<2310xui64>
  %count = stablehlo.iota dim = 0 : tensor<2310xui64>
  %high = stablehlo.shift_right_logical %count, %shift : tensor<2310xui64>
  %5 = stablehlo.convert %high : (tensor<2310xui64>) -> tensor<2310xi32>
  %6 = stablehlo.convert %count : (tensor<2310xui64>) -> tensor<2310xi32>
  %7 = stablehlo.add %5, %k : tensor<2310xi32>
  %8 = stablehlo.xor %6, %7 : tensor<2310xi32>
  return %1, %4, %7, %8 : tensor<33x70xf32>, tensor<33x70xf32>, tensor<2310xi32>, tensor<2310xi32>
}
