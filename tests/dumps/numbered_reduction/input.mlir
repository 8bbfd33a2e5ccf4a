// The loops of a reduction are exchanged, and what their numbers are used for with them.
func.func public @main(%x: tensor<5x64xi64>) -> tensor<64xi64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %row = stablehlo.iota dim = 0 : tensor<5x64xi64>
  %column = stablehlo.iota dim = 1 : tensor<5x64xi64>
  %a = stablehlo.multiply %x, %row : tensor<5x64xi64>
  %b = stablehlo.xor %a, %column : tensor<5x64xi64>
  %r = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x64xi64>, tensor<i64>) -> tensor<64xi64>
  return %r : tensor<64xi64>
}
