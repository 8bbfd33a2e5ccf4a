// sizes: x.0=5
// every: x.0=37
// Loops along a bounded dimension end at the size: rows and columns of dots, maxima and sums, what is fused with them, and what reads
// elements next to its own.
func.func public @main(%x: tensor<?x24xf32> loc("x"), %w: tensor<24x16xf32> loc("w"), %v: tensor<24x40xf32> loc("v"), %g: tensor<40xf32> loc("g")) -> (tensor<?x40xf32>, tensor<?x?xf32>, tensor<?x16xf32>, tensor<40x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x24xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %nn = stablehlo.concatenate %n1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %c40 = stablehlo.constant dense<40> : tensor<1xi32>
  %wide = stablehlo.concatenate %n1, %c40, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %q = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x24xf32>, tensor<24x16xf32>) -> tensor<?x16xf32>
  %k = stablehlo.tanh %q : tensor<?x16xf32>
  %scores = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x?xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.reduce(%scores init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %maxs = stablehlo.dynamic_broadcast_in_dim %max, %nn, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %less = stablehlo.subtract %scores, %maxs : tensor<?x?xf32>
  %exp = stablehlo.exponential %less : tensor<?x?xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %sums = stablehlo.dynamic_broadcast_in_dim %sum, %nn, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %p = stablehlo.divide %exp, %sums : tensor<?x?xf32>
  %values = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<?x24xf32>, tensor<24x40xf32>) -> tensor<?x40xf32>
  %o = stablehlo.dot_general %p, %values, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x40xf32>) -> tensor<?x40xf32>
  %gs = stablehlo.dynamic_broadcast_in_dim %g, %wide, dims = [1] : (tensor<40xf32>, tensor<2xi32>) -> tensor<?x40xf32>
  %biased = stablehlo.add %o, %gs : tensor<?x40xf32>
  %r = stablehlo.reverse %q, dims = [0] : tensor<?x16xf32>
  %both = stablehlo.add %r, %k : tensor<?x16xf32>
  %t = stablehlo.transpose %values, dims = [1, 0] : (tensor<?x40xf32>) -> tensor<40x?xf32>
  %e = stablehlo.exponential %t : tensor<40x?xf32>
  return %biased, %p, %both, %e : tensor<?x40xf32>, tensor<?x?xf32>, tensor<?x16xf32>, tensor<40x?xf32>
}
