// every: x.1=75
// Work on vectors along the innermost dimension, which ends at the size: softmax, a variance, a sum of exponentials that is 0 for an
// empty row, integers with a bias of a row, columns of a dot, and a temporary row that is read one element further on, too.
func.func public @main(%x: tensor<3x?xf32> loc("x"), %i: tensor<3x?xi32> loc("i"), %y: tensor<?x8xf32> loc("y"), %w: tensor<7x8xf32> loc("w")) -> (tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xi32>, tensor<7x?xf32>, tensor<3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?xf32>) -> tensor<i32>
  %n = stablehlo.get_dimension_size %i, dim = 1 : (tensor<3x?xi32>) -> tensor<i32>
  %k = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %equal = stablehlo.compare EQ, %m, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %m, %n) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%equal, %m, %k) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %columns = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %three, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  // Softmax.
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %maxima = stablehlo.dynamic_broadcast_in_dim %max, %shape, dims = [0] : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %centred = stablehlo.subtract %x, %maxima : tensor<3x?xf32>
  %exp = stablehlo.exponential %centred : tensor<3x?xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %sums = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [0] : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %soft = stablehlo.divide %exp, %sums : tensor<3x?xf32>
  // The squares' sum after a mean was taken off.
  %total = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %number = stablehlo.convert %m : (tensor<i32>) -> tensor<f32>
  %numbers = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %mean = stablehlo.divide %total, %numbers : tensor<3xf32>
  %means = stablehlo.dynamic_broadcast_in_dim %mean, %shape, dims = [0] : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %off = stablehlo.subtract %x, %means : tensor<3x?xf32>
  %squares = stablehlo.multiply %off, %off : tensor<3x?xf32>
  %spread = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  // Integers, and a sum that starts with another number.
  %twice = stablehlo.add %i, %i : tensor<3x?xi32>
  %less = stablehlo.reduce(%twice init: %one) applies stablehlo.add across dimensions = [1] : (tensor<3x?xi32>, tensor<i32>) -> tensor<3xi32>
  %lesses = stablehlo.dynamic_broadcast_in_dim %less, %shape, dims = [0] : (tensor<3xi32>, tensor<2xi32>) -> tensor<3x?xi32>
  %integers = stablehlo.subtract %twice, %lesses : tensor<3x?xi32>
  // Columns of a dot.
  %dot = stablehlo.dot_general %w, %y, contracting_dims = [1] x [1] : (tensor<7x8xf32>, tensor<?x8xf32>) -> tensor<7x?xf32>
  // A product of which NaN times zero would be seen.
  %reciprocal = stablehlo.divide %soft, %exp : tensor<3x?xf32>
  %least = stablehlo.reduce(%reciprocal init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %both = stablehlo.add %spread, %least : tensor<3xf32>
  return %soft, %both, %integers, %dot, %mean : tensor<3x?xf32>, tensor<3xf32>, tensor<3x?xi32>, tensor<7x?xf32>, tensor<3xf32>
}
