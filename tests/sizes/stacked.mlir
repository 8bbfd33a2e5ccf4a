// sizes: x.1=3, x.2=5
// open: x.1=20, x.2=33
// Pieces that lack the dimension which they are put beside each other along: computed ones that are read elsewhere, too, and inputs.
func.func public @main(%x: tensor<2x?x?x4x16xf32> loc("x"), %y: tensor<?x?x4x16xf32> loc("y"), %q: tensor<?x4x16xf32> loc("q")) -> (tensor<?x4x16xf32>, tensor<?x4x?xf32>, tensor<2x?x?x4x16xf32>, tensor<2x?x?x4x16xf32>, tensor<?x?x4xf32>, tensor<?x?x4x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rows = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?x?x4x16xf32>) -> tensor<i32>
  %steps = stablehlo.get_dimension_size %x, dim = 2 : (tensor<2x?x?x4x16xf32>) -> tensor<i32>
  %y.rows = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x?x4x16xf32>) -> tensor<i32>
  %y.steps = stablehlo.get_dimension_size %y, dim = 1 : (tensor<?x?x4x16xf32>) -> tensor<i32>
  %q.rows = stablehlo.get_dimension_size %q, dim = 0 : (tensor<?x4x16xf32>) -> tensor<i32>
  %0 = stablehlo.compare EQ, %rows, %y.rows : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = stablehlo.compare EQ, %steps, %y.steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %2 = stablehlo.compare EQ, %rows, %q.rows : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0) {has_side_effect = true} : (tensor<i1>) -> ()
  stablehlo.custom_call @shape_assertion(%1) {has_side_effect = true} : (tensor<i1>) -> ()
  stablehlo.custom_call @shape_assertion(%2) {has_side_effect = true} : (tensor<i1>) -> ()
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %c16 = stablehlo.constant dense<16> : tensor<1xi32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.reshape %steps : (tensor<i32>) -> tensor<1xi32>
  %begin = stablehlo.concatenate %c1, %c0, %c0, %c0, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xi32>
  %end = stablehlo.concatenate %c2, %r, %s, %c4, %c16, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xi32>
  %each = stablehlo.constant dense<1> : tensor<5xi32>
  %shape = stablehlo.concatenate %r, %s, %c4, %c16, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %piece = stablehlo.concatenate %c1, %r, %s, %c4, %c16, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xi32>
  %part = stablehlo.real_dynamic_slice %x, %begin, %end, %each : (tensor<2x?x?x4x16xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>) -> tensor<1x?x?x4x16xf32>
  %second = stablehlo.dynamic_reshape %part, %shape : (tensor<1x?x?x4x16xf32>, tensor<4xi32>) -> tensor<?x?x4x16xf32>
  %k = stablehlo.add %second, %y : tensor<?x?x4x16xf32>
  %t = stablehlo.tanh %y : tensor<?x?x4x16xf32>
  %l = stablehlo.add %t, %second : tensor<?x?x4x16xf32>
  %sum = stablehlo.reduce(%l init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?x4x16xf32>, tensor<f32>) -> tensor<?x4x16xf32>
  %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3] : (tensor<?x4x16xf32>, tensor<?x?x4x16xf32>) -> tensor<?x4x?xf32>
  %k1 = stablehlo.dynamic_reshape %k, %piece : (tensor<?x?x4x16xf32>, tensor<5xi32>) -> tensor<1x?x?x4x16xf32>
  %l1 = stablehlo.dynamic_reshape %l, %piece : (tensor<?x?x4x16xf32>, tensor<5xi32>) -> tensor<1x?x?x4x16xf32>
  %y1 = stablehlo.dynamic_reshape %y, %piece : (tensor<?x?x4x16xf32>, tensor<5xi32>) -> tensor<1x?x?x4x16xf32>
  %first = stablehlo.concatenate %k1, %y1, dim = 0 : (tensor<1x?x?x4x16xf32>, tensor<1x?x?x4x16xf32>) -> tensor<2x?x?x4x16xf32>
  %other = stablehlo.concatenate %y1, %l1, dim = 0 : (tensor<1x?x?x4x16xf32>, tensor<1x?x?x4x16xf32>) -> tensor<2x?x?x4x16xf32>
  // Slices without a dimension of the input that rows are written into: the last one, and the first one.
  %list = stablehlo.concatenate %r, %s, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %y.end = stablehlo.concatenate %r, %s, %c4, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %y.begin = stablehlo.concatenate %c0, %c0, %c0, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %y.each = stablehlo.constant dense<1> : tensor<4xi32>
  %column = stablehlo.real_dynamic_slice %y, %y.begin, %y.end, %y.each : (tensor<?x?x4x16xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<?x?x4x1xf32>
  %columns = stablehlo.dynamic_reshape %column, %list : (tensor<?x?x4x1xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
  %zeros = stablehlo.constant dense<7.0> : tensor<1x1x4xf32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %written = stablehlo.dynamic_update_slice %columns, %zeros, %i0, %i0, %i0 : (tensor<?x?x4xf32>, tensor<1x1x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?x?x4xf32>
  %twice = stablehlo.add %written, %written : tensor<?x?x4xf32>
  %row = stablehlo.constant dense<5.0> : tensor<1x1x4x16xf32>
  %cache = stablehlo.dynamic_update_slice %second, %row, %i0, %i0, %i0, %i0 : (tensor<?x?x4x16xf32>, tensor<1x1x4x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?x?x4x16xf32>
  %product = stablehlo.multiply %cache, %y : tensor<?x?x4x16xf32>
  return %sum, %scores, %first, %other, %twice, %product : tensor<?x4x16xf32>, tensor<?x4x?xf32>, tensor<2x?x?x4x16xf32>, tensor<2x?x?x4x16xf32>, tensor<?x?x4xf32>, tensor<?x?x4x16xf32>
}
