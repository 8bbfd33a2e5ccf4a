// sizes: x.0=5
// every: x.0=27
// The last tile of rows of dots and convolutions is computed for the rows that there are: with formulas in a loop over the rows of a
// tile, sums of what the result had, inputs and outputs in place, and rows that are counted from the third one of a buffer.
func.func public @main(%x: tensor<?x48xf32> loc("x"), %w: tensor<48x64xf32> loc("w"), %v: tensor<64x48xf32> loc("v"), %k: tensor<3x48x40xf32> loc("k"), %u: tensor<48x24xf64> loc("u"), %j: tensor<48x32xi32> loc("j")) -> (tensor<?x48xf32>, tensor<?x40xf32>, tensor<?x24xf32>, tensor<?x32xi32>, tensor<?x64xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x48xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %c48 = stablehlo.constant dense<48> : tensor<1xi32>
  %c40 = stablehlo.constant dense<40> : tensor<1xi32>
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x48xf32>, tensor<48x64xf32>) -> tensor<?x64xf32>
  %t = stablehlo.tanh %h : tensor<?x64xf32>
  %e = stablehlo.exponential %t : tensor<?x64xf32>
  %g = stablehlo.multiply %h, %e : tensor<?x64xf32>
  %o = stablehlo.dot_general %g, %v, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x48xf32>) -> tensor<?x48xf32>
  %sum = stablehlo.add %x, %o : tensor<?x48xf32>
  %images = stablehlo.concatenate %one, %n1, %c48, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %image = stablehlo.dynamic_reshape %x, %images : (tensor<?x48xf32>, tensor<3xi32>) -> tensor<1x?x48xf32>
  %c = stablehlo.convolution(%image, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x48xf32>, tensor<3x48x40xf32>) -> tensor<1x?x40xf32>
  %rows = stablehlo.concatenate %n1, %c40, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %conv = stablehlo.dynamic_reshape %c, %rows : (tensor<1x?x40xf32>, tensor<2xi32>) -> tensor<?x40xf32>
  %y = stablehlo.convert %x : (tensor<?x48xf32>) -> tensor<?x48xf64>
  %i = stablehlo.convert %x : (tensor<?x48xf32>) -> tensor<?x48xi32>
  %wide = stablehlo.dot_general %y, %u, contracting_dims = [1] x [0] : (tensor<?x48xf64>, tensor<48x24xf64>) -> tensor<?x24xf64>
  %narrow = stablehlo.convert %wide : (tensor<?x24xf64>) -> tensor<?x24xf32>
  %whole = stablehlo.dot_general %i, %j, contracting_dims = [1] x [0] : (tensor<?x48xi32>, tensor<48x32xi32>) -> tensor<?x32xi32>
  %r = stablehlo.reverse %h, dims = [0] : tensor<?x64xf32>
  return %sum, %conv, %narrow, %whole, %r : tensor<?x48xf32>, tensor<?x40xf32>, tensor<?x24xf32>, tensor<?x32xi32>, tensor<?x64xf32>
}
