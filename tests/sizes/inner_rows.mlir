// sizes: x.1=4,z.1=3
// every: x.1=9,z.1=5
// open: x.1=17,z.1=9
// Rows and columns of dots that are those of two dimensions, of which the inner one is open; some as one dimension that a reshape makes.
func.func public @main(%x: tensor<3x?x5xf32> loc("x"), %w: tensor<5x40xf32>, %z: tensor<2x?x5xf32> loc("z")) -> (tensor<3x?x40xf32>, tensor<3x?x40xf32>, tensor<40x2x?xf32>, tensor<3x?x2x?xf32>, tensor<40xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0] : (tensor<3x?x5xf32>, tensor<5x40xf32>) -> tensor<3x?x40xf32>
  %rows = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?x5xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %all = stablehlo.multiply %rows, %three : tensor<i32>
  %a1 = stablehlo.reshape %all : (tensor<i32>) -> tensor<1xi32>
  %r1 = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %c5 = stablehlo.constant dense<5> : tensor<1xi32>
  %c40 = stablehlo.constant dense<40> : tensor<1xi32>
  %flat = stablehlo.concatenate %a1, %c5, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %deep = stablehlo.concatenate %c3, %r1, %c40, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %y = stablehlo.dynamic_reshape %x, %flat : (tensor<3x?x5xf32>, tensor<2xi32>) -> tensor<?x5xf32>
  %v = stablehlo.negate %w : tensor<5x40xf32>
  %p = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<?x5xf32>, tensor<5x40xf32>) -> tensor<?x40xf32>
  %q = stablehlo.tanh %p : tensor<?x40xf32>
  %1 = stablehlo.dynamic_reshape %q, %deep : (tensor<?x40xf32>, tensor<3xi32>) -> tensor<3x?x40xf32>
  // The open dimensions are columns, and both.
  %2 = stablehlo.dot_general %w, %z, contracting_dims = [0] x [2] : (tensor<5x40xf32>, tensor<2x?x5xf32>) -> tensor<40x2x?xf32>
  %3 = stablehlo.dot_general %x, %z, contracting_dims = [2] x [2] : (tensor<3x?x5xf32>, tensor<2x?x5xf32>) -> tensor<3x?x2x?xf32>
  // Or what is summed over.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x?x40xf32>, tensor<f32>) -> tensor<40xf32>
  return %0, %1, %2, %3, %4 : tensor<3x?x40xf32>, tensor<3x?x40xf32>, tensor<40x2x?xf32>, tensor<3x?x2x?xf32>, tensor<40xf32>
}
