// sizes: x.0=3
// every: x.0=37
// open: x.0=100
// Transposes of which both dimensions are open: the last rows of squares begin earlier, too. Of inputs and of what is computed, of
// several squares beside each other, of bytes and doubles, alone and added to another one; of a dimension of given length.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %y: tensor<3x?x?xf32> loc("y"), %b: tensor<?x?xi8> loc("b"), %d: tensor<?x?xf64> loc("d"), %z: tensor<?x20xf32> loc("z")) -> (tensor<?x?xf32>, tensor<3x?x?xf32>, tensor<?x3x?xf32>, tensor<?x?xi8>, tensor<?x?xf64>, tensor<?x?xf32>, tensor<20x?xf32>, tensor<?x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %x1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %y1 = stablehlo.get_dimension_size %y, dim = 1 : (tensor<3x?x?xf32>) -> tensor<i32>
  %y2 = stablehlo.get_dimension_size %y, dim = 2 : (tensor<3x?x?xf32>) -> tensor<i32>
  %b0 = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?x?xi8>) -> tensor<i32>
  %b1 = stablehlo.get_dimension_size %b, dim = 1 : (tensor<?x?xi8>) -> tensor<i32>
  %d0 = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?x?xf64>) -> tensor<i32>
  %d1 = stablehlo.get_dimension_size %d, dim = 1 : (tensor<?x?xf64>) -> tensor<i32>
  %z0 = stablehlo.get_dimension_size %z, dim = 0 : (tensor<?x20xf32>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %n, %x1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %n, %y1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e2 = stablehlo.compare EQ, %n, %y2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e3 = stablehlo.compare EQ, %n, %b0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e4 = stablehlo.compare EQ, %n, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e5 = stablehlo.compare EQ, %n, %d0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e6 = stablehlo.compare EQ, %n, %d1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e7 = stablehlo.compare EQ, %n, %z0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %n, %x1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %n, %y1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e2, %n, %y2) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e3, %n, %b0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e4, %n, %b1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e5, %n, %d0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e6, %n, %d1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e7, %n, %z0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.transpose %y, dims = [0, 2, 1] : (tensor<3x?x?xf32>) -> tensor<3x?x?xf32>
  %2 = stablehlo.transpose %y, dims = [2, 0, 1] : (tensor<3x?x?xf32>) -> tensor<?x3x?xf32>
  %3 = stablehlo.transpose %b, dims = [1, 0] : (tensor<?x?xi8>) -> tensor<?x?xi8>
  %4 = stablehlo.transpose %d, dims = [1, 0] : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t = stablehlo.tanh %x : tensor<?x?xf32>
  %5 = stablehlo.transpose %t, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %6 = stablehlo.transpose %z, dims = [1, 0] : (tensor<?x20xf32>) -> tensor<20x?xf32>
  // Read where it is transposed.
  %7 = stablehlo.add %x, %5 : tensor<?x?xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?x?xf32>, tensor<3x?x?xf32>, tensor<?x3x?xf32>, tensor<?x?xi8>, tensor<?x?xf64>, tensor<?x?xf32>, tensor<20x?xf32>, tensor<?x?xf32>
}
