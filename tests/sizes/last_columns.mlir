// every: x.0=47
// Elementwise work along a dimension with a bound: tiles of several vectors, of which the last one is not whole at most sizes.
func.func public @main(%x: tensor<?xf32> loc("x"), %i: tensor<?xi16> loc("i"), %d: tensor<?xf64> loc("d")) -> (tensor<?xf32>, tensor<?xi16>, tensor<?xf64>) {
  %m = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?xi16>) -> tensor<i32>
  %k = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?xf64>) -> tensor<i32>
  %same = stablehlo.compare EQ, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %equal = stablehlo.compare EQ, %m, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %m, %n) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%equal, %m, %k) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %square = stablehlo.multiply %x, %x : tensor<?xf32>
  %0 = stablehlo.add %square, %x : tensor<?xf32>
  %1 = stablehlo.subtract %i, %i : tensor<?xi16>
  %2 = stablehlo.not %i : tensor<?xi16>
  %3 = stablehlo.or %1, %2 : tensor<?xi16>
  %4 = stablehlo.negate %d : tensor<?xf64>
  return %0, %3, %4 : tensor<?xf32>, tensor<?xi16>, tensor<?xf64>
}
