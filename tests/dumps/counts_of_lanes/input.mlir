// Lanes below counts that are negative, within a vector, beyond it, and that have such a number in their last bits.
func.func public @main(%x: tensor<8xf32>, %h: tensor<16xi16>, %z: tensor<i64>) -> (tensor<12x8xf32>, tensor<12x16xi16>) {
  %k = stablehlo.constant dense<[-9223372036854775808, -4294967294, -1, 0, 1, 5, 8, 9, 16, 65539, 4294967297, 9223372036854775807]> : tensor<12xi64>
  %more = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<i64>) -> tensor<12xi64>
  %n = stablehlo.add %k, %more : tensor<12xi64>
  %i = stablehlo.iota dim = 1 : tensor<12x8xi64>
  %b = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<12xi64>) -> tensor<12x8xi64>
  %c = stablehlo.compare LT, %i, %b : (tensor<12x8xi64>, tensor<12x8xi64>) -> tensor<12x8xi1>
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<8xf32>) -> tensor<12x8xf32>
  %l = stablehlo.constant dense<0.0> : tensor<12x8xf32>
  %r = stablehlo.select %c, %y, %l : tensor<12x8xi1>, tensor<12x8xf32>
  %j = stablehlo.iota dim = 1 : tensor<12x16xi64>
  %d = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<12xi64>) -> tensor<12x16xi64>
  %e = stablehlo.compare LT, %j, %d : (tensor<12x16xi64>, tensor<12x16xi64>) -> tensor<12x16xi1>
  %g = stablehlo.broadcast_in_dim %h, dims = [1] : (tensor<16xi16>) -> tensor<12x16xi16>
  %o = stablehlo.constant dense<0> : tensor<12x16xi16>
  %s = stablehlo.select %e, %g, %o : tensor<12x16xi1>, tensor<12x16xi16>
  return %r, %s : tensor<12x8xf32>, tensor<12x16xi16>
}
