// plain
func.func public @main(%x: tensor<5x64xi64>, %y: tensor<4x5x8xi16>) -> (tensor<64xi64>, tensor<4x8xi16>, tensor<5x8xi16>) {
  // What is reduced depends on where it stands, along each dimension.
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %none = stablehlo.constant dense<0> : tensor<i16>
  %row = stablehlo.iota dim = 0 : tensor<5x64xi64>
  %column = stablehlo.iota dim = 1 : tensor<5x64xi64>
  %a = stablehlo.multiply %x, %row : tensor<5x64xi64>
  %b = stablehlo.xor %a, %column : tensor<5x64xi64>
  %r = stablehlo.reduce(%b init: %zero) applies stablehlo.xor across dimensions = [0] : (tensor<5x64xi64>, tensor<i64>) -> tensor<64xi64>
  %depth = stablehlo.iota dim = 0 : tensor<4x5x8xi16>
  %middle = stablehlo.iota dim = 1 : tensor<4x5x8xi16>
  %c = stablehlo.multiply %y, %depth : tensor<4x5x8xi16>
  %d = stablehlo.xor %c, %middle : tensor<4x5x8xi16>
  %t = stablehlo.reduce(%d init: %none) applies stablehlo.maximum across dimensions = [1] : (tensor<4x5x8xi16>, tensor<i16>) -> tensor<4x8xi16>
  %u = stablehlo.reduce(%d init: %none) applies stablehlo.minimum across dimensions = [0] : (tensor<4x5x8xi16>, tensor<i16>) -> tensor<5x8xi16>
  return %r, %t, %u : tensor<64xi64>, tensor<4x8xi16>, tensor<5x8xi16>
}
