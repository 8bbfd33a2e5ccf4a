// every: x.1=41
// open: x.1=100
// Elementwise operations on all rows of tensors that have the sizes of a call are one loop, which ends with the last row: of several ranks,
// element types and numbers of rows, with scalars, few elements in all, and inputs that are read twice. What takes a row or a column
// of its own stays a loop for each row.
func.func public @main(%x: tensor<9x?xf32> loc("x"), %y: tensor<9x?xf32> loc("y"), %d: tensor<2x3x?xf64> loc("d"), %b: tensor<4x?xi8> loc("b"), %f: tensor<f32> loc("f"), %r: tensor<?xf32> loc("r"), %c: tensor<9x1xf32> loc("c"), %t: tensor<?x9xf32> loc("t"), %u: tensor<9x?xf32> loc("u")) -> (tensor<9x?xf32>, tensor<9x?xf32>, tensor<9x?xf32>, tensor<2x3x?xf64>, tensor<4x?xi8>, tensor<1x?xf32>, tensor<9x?xf32>, tensor<9x?xf32>, tensor<?x9xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<9x?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<1xi32>
  %nines = stablehlo.constant dense<9> : tensor<1xi32>
  %y1 = stablehlo.get_dimension_size %y, dim = 1 : (tensor<9x?xf32>) -> tensor<i32>
  %d2 = stablehlo.get_dimension_size %d, dim = 2 : (tensor<2x3x?xf64>) -> tensor<i32>
  %b1 = stablehlo.get_dimension_size %b, dim = 1 : (tensor<4x?xi8>) -> tensor<i32>
  %r0 = stablehlo.get_dimension_size %r, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %t0 = stablehlo.get_dimension_size %t, dim = 0 : (tensor<?x9xf32>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %n, %y1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %n, %d2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e2 = stablehlo.compare EQ, %n, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e3 = stablehlo.compare EQ, %n, %r0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %u1 = stablehlo.get_dimension_size %u, dim = 1 : (tensor<9x?xf32>) -> tensor<i32>
  %e5 = stablehlo.compare EQ, %n, %u1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e5, %n, %u1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %e4 = stablehlo.compare EQ, %n, %t0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %n, %y1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %n, %d2) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e2, %n, %b1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e3, %n, %r0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e4, %n, %t0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  // One loop each.
  %sum = stablehlo.add %x, %y : tensor<9x?xf32>
  %root = stablehlo.tanh %sum : tensor<9x?xf32>
  %product = stablehlo.multiply %y, %y : tensor<9x?xf32>
  %whole = stablehlo.concatenate %nines, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %factor = stablehlo.dynamic_broadcast_in_dim %f, %whole, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<9x?xf32>
  %scaled = stablehlo.multiply %x, %factor : tensor<9x?xf32>
  %abs = stablehlo.abs %d : tensor<2x3x?xf64>
  %bytes = stablehlo.add %b, %b : tensor<4x?xi8>
  // One row.
  %one = stablehlo.concatenate %ones, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %row = stablehlo.dynamic_reshape %r, %one : (tensor<?xf32>, tensor<2xi32>) -> tensor<1x?xf32>
  %negated = stablehlo.negate %row : tensor<1x?xf32>
  // A loop for each row.
  %rows = stablehlo.dynamic_broadcast_in_dim %r, %whole, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<9x?xf32>
  %beside = stablehlo.subtract %u, %rows : tensor<9x?xf32>
  %columns = stablehlo.dynamic_broadcast_in_dim %c, %whole, dims = [0, 1] : (tensor<9x1xf32>, tensor<2xi32>) -> tensor<9x?xf32>
  %below = stablehlo.maximum %u, %columns : tensor<9x?xf32>
  %last = stablehlo.floor %t : tensor<?x9xf32>
  return %root, %product, %scaled, %abs, %bytes, %negated, %beside, %below, %last : tensor<9x?xf32>, tensor<9x?xf32>, tensor<9x?xf32>, tensor<2x3x?xf64>, tensor<4x?xi8>, tensor<1x?xf32>, tensor<9x?xf32>, tensor<9x?xf32>, tensor<?x9xf32>
}
