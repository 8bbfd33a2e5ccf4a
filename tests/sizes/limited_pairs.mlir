// sizes: x.0=5,y.0=3
// every: x.0=9,y.0=37
// Loops along both of two bounded dimensions end at their sizes: a product of rows of each, exponentials that only a product with a
// masked operand reads, and what is read of them elsewhere.
func.func public @main(%x: tensor<?x8xf32> loc("x"), %y: tensor<?x8xf32> loc("y")) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<8x8xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %r1 = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
  %s1 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %r1, %s1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %scores = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x?xf32>
  %max = stablehlo.reduce(%scores init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %maxs = stablehlo.dynamic_broadcast_in_dim %max, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %less = stablehlo.subtract %scores, %maxs : tensor<?x?xf32>
  %exp = stablehlo.exponential %less : tensor<?x?xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %sums = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %p = stablehlo.divide %exp, %sums : tensor<?x?xf32>
  %o = stablehlo.dot_general %p, %y, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // Of this one the first columns are read, by a caller and by sums along both dimensions.
  %other = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x?xf32>
  %t = stablehlo.tanh %other : tensor<?x?xf32>
  %columns = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %shifted = stablehlo.cosine %less : tensor<?x?xf32>
  %v = stablehlo.dot_general %shifted, %y, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %w = stablehlo.dot_general %v, %x, contracting_dims = [0] x [0] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<8x8xf32>
  return %o, %columns, %t, %w : tensor<?x8xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<8x8xf32>
}
