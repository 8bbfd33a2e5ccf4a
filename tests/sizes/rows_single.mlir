// sizes: x.0=2,x.1=3
// open: x.0=70 x.1=33
// Dots of sequences, whose rows are not the first ones of their buffers: rows of the batch are computed one after the other.
func.func public @main(%x: tensor<?x?x16xf32> loc("x"), %w: tensor<16x48xf32> loc("w"), %v: tensor<48x16xf32> loc("v")) -> tensor<?x?x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x16xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x16xf32>) -> tensor<i32>
  %b1 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %s1 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %c16 = stablehlo.constant dense<16> : tensor<1xi32>
  %shape = stablehlo.concatenate %b1, %s1, %c16, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %h = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<?x?x16xf32>, tensor<16x48xf32>) -> tensor<?x?x48xf32>
  %t = stablehlo.tanh %h : tensor<?x?x48xf32>
  %y = stablehlo.dot_general %t, %v, contracting_dims = [2] x [0] : (tensor<?x?x48xf32>, tensor<48x16xf32>) -> tensor<?x?x16xf32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?x16xf32>, tensor<f32>) -> tensor<?x16xf32>
  %sums = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [0, 2] : (tensor<?x16xf32>, tensor<3xi32>) -> tensor<?x?x16xf32>
  %r = stablehlo.add %y, %sums : tensor<?x?x16xf32>
  return %r : tensor<?x?x16xf32>
}
