// sizes: x.0=3
// every: x.0=19
// open: x.0=70
// Rows that are repeated and put after each other, along one dimension and along two, of inputs and of what is computed, as jnp.tile
// does; beside a dimension of one element; with rows that are apart in themselves; then read again.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %y: tensor<5x?xf32> loc("y"), %b: tensor<3x?xi8> loc("b"), %c: tensor<?xcomplex<f32>> loc("c")) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<5x?xf32>, tensor<?x?xf32>, tensor<5x?xf32>, tensor<6x?xi8>, tensor<?xcomplex<f32>>, tensor<5xf32>, tensor<?x3xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %n1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %y1 = stablehlo.get_dimension_size %y, dim = 1 : (tensor<5x?xf32>) -> tensor<i32>
  %b1 = stablehlo.get_dimension_size %b, dim = 1 : (tensor<3x?xi8>) -> tensor<i32>
  %c0 = stablehlo.get_dimension_size %c, dim = 0 : (tensor<?xcomplex<f32>>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %n, %n1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %n, %y1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e2 = stablehlo.compare EQ, %n, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e3 = stablehlo.compare EQ, %n, %c0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %n, %n1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %n, %y1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e2, %n, %b1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e3, %n, %c0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.constant dense<1> : tensor<1xi32>
  %2 = stablehlo.constant dense<2> : tensor<1xi32>
  %3 = stablehlo.constant dense<3> : tensor<1xi32>
  %5 = stablehlo.constant dense<5> : tensor<1xi32>
  %6 = stablehlo.constant dense<6> : tensor<1xi32>
  %s2 = stablehlo.multiply %s, %2 : tensor<1xi32>
  %s3 = stablehlo.multiply %s, %3 : tensor<1xi32>
  // Along both dimensions, an input and what is computed from it.
  %one_x = stablehlo.concatenate %1, %s, %1, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %two_x = stablehlo.concatenate %2, %s, %3, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %all_x = stablehlo.concatenate %s2, %s3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %x4 = stablehlo.dynamic_reshape %x, %one_x : (tensor<?x?xf32>, tensor<4xi32>) -> tensor<1x?x1x?xf32>
  %xx = stablehlo.dynamic_broadcast_in_dim %x4, %two_x, dims = [0, 1, 2, 3] : (tensor<1x?x1x?xf32>, tensor<4xi32>) -> tensor<2x?x3x?xf32>
  %tiled = stablehlo.dynamic_reshape %xx, %all_x : (tensor<2x?x3x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %t = stablehlo.tanh %x : tensor<?x?xf32>
  %tt = stablehlo.dynamic_broadcast_in_dim %t, %two_x, dims = [1, 3] : (tensor<?x?xf32>, tensor<4xi32>) -> tensor<2x?x3x?xf32>
  %turned = stablehlo.dynamic_reshape %tt, %all_x : (tensor<2x?x3x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %changed = stablehlo.subtract %turned, %tiled : tensor<?x?xf32>
  // Along columns, after a dimension of one element.
  %two_y = stablehlo.concatenate %1, %5, %3, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %all_y = stablehlo.concatenate %5, %s3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %yy = stablehlo.dynamic_broadcast_in_dim %y, %two_y, dims = [1, 3] : (tensor<5x?xf32>, tensor<4xi32>) -> tensor<1x5x3x?xf32>
  %wide = stablehlo.dynamic_reshape %yy, %all_y : (tensor<1x5x3x?xf32>, tensor<2xi32>) -> tensor<5x?xf32>
  // Only rows are repeated, and columns are joined.
  %sum = stablehlo.add %x, %t : tensor<?x?xf32>
  %more = stablehlo.concatenate %2, %s, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %ss = stablehlo.dynamic_broadcast_in_dim %sum, %more, dims = [1, 2] : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<2x?x?xf32>
  %all_ss = stablehlo.concatenate %s2, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.dynamic_reshape %ss, %all_ss : (tensor<2x?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // Each element of a row again and again: not rows.
  %each = stablehlo.concatenate %5, %s, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %ee = stablehlo.dynamic_broadcast_in_dim %y, %each, dims = [0, 1] : (tensor<5x?xf32>, tensor<3xi32>) -> tensor<5x?x3xf32>
  %spread = stablehlo.dynamic_reshape %ee, %all_y : (tensor<5x?x3xf32>, tensor<2xi32>) -> tensor<5x?xf32>
  // Bytes, whose rows are repeated as a whole, too.
  %two_b = stablehlo.concatenate %2, %3, %2, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %all_b = stablehlo.concatenate %6, %s2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %bb = stablehlo.dynamic_broadcast_in_dim %b, %two_b, dims = [1, 3] : (tensor<3x?xi8>, tensor<4xi32>) -> tensor<2x3x2x?xi8>
  %bytes = stablehlo.dynamic_reshape %bb, %all_b : (tensor<2x3x2x?xi8>, tensor<2xi32>) -> tensor<6x?xi8>
  %two_c = stablehlo.concatenate %3, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %cc = stablehlo.dynamic_broadcast_in_dim %c, %two_c, dims = [1] : (tensor<?xcomplex<f32>>, tensor<2xi32>) -> tensor<3x?xcomplex<f32>>
  %numbers = stablehlo.dynamic_reshape %cc, %s3 : (tensor<3x?xcomplex<f32>>, tensor<1xi32>) -> tensor<?xcomplex<f32>>
  // What is read of repeated rows again: a sum, and rows of three.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %total = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x?xf32>, tensor<f32>) -> tensor<5xf32>
  %s5 = stablehlo.multiply %s, %5 : tensor<1xi32>
  %by_three = stablehlo.concatenate %s5, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %threes = stablehlo.dynamic_reshape %wide, %by_three : (tensor<5x?xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %tiled, %changed, %wide, %high, %spread, %bytes, %numbers, %total, %threes : tensor<?x?xf32>, tensor<?x?xf32>, tensor<5x?xf32>, tensor<?x?xf32>, tensor<5x?xf32>, tensor<6x?xi8>, tensor<?xcomplex<f32>>, tensor<5xf32>, tensor<?x3xf32>
}
