// open: x.0=100 x.1=90
// every: x.0=17,x.1=5
// Few rows of two to four numbers are columns whose vectors end with the rows of a call: sums and extrema of several types, with padding that
// is not what changes nothing, of rows in two blocks, and of one column alone.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %d: tensor<?x?xf64> loc("d"), %h: tensor<?x?xf16> loc("h"), %i: tensor<?x?xi32> loc("i"), %t: tensor<2x?x3xf32> loc("t")) -> (tensor<?xf32>, tensor<?xf64>, tensor<?xf16>, tensor<?xi32>, tensor<2x?xf32>, tensor<?xf32>, tensor<2x?xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %d0 = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?x?xf64>) -> tensor<i32>
  %d1 = stablehlo.get_dimension_size %d, dim = 1 : (tensor<?x?xf64>) -> tensor<i32>
  %h0 = stablehlo.get_dimension_size %h, dim = 0 : (tensor<?x?xf16>) -> tensor<i32>
  %h1 = stablehlo.get_dimension_size %h, dim = 1 : (tensor<?x?xf16>) -> tensor<i32>
  %i0 = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x?xi32>) -> tensor<i32>
  %i1 = stablehlo.get_dimension_size %i, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
  %t1 = stablehlo.get_dimension_size %t, dim = 1 : (tensor<2x?x3xf32>) -> tensor<i32>
  %a0 = stablehlo.compare GE, %r, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a1 = stablehlo.compare GE, %s, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a2 = stablehlo.compare EQ, %d0, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a3 = stablehlo.compare EQ, %d1, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a4 = stablehlo.compare EQ, %h0, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a5 = stablehlo.compare EQ, %h1, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a6 = stablehlo.compare EQ, %i0, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a7 = stablehlo.compare EQ, %i1, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a8 = stablehlo.compare EQ, %t1, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%a0, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a1, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a2, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a3, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a4, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a5, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a6, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a7, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a8, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %most = stablehlo.constant dense<0x7C00> : tensor<f16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = stablehlo.reduce(%d init: %none) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf64>, tensor<f64>) -> tensor<?xf64>
  %2 = stablehlo.reduce(%h init: %most) applies stablehlo.minimum across dimensions = [1] : (tensor<?x?xf16>, tensor<f16>) -> tensor<?xf16>
  %3 = stablehlo.reduce(%i init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<?x?xi32>, tensor<i32>) -> tensor<?xi32>
  %4 = stablehlo.reduce(%t init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<2x?x3xf32>, tensor<f32>) -> tensor<2x?xf32>
  %5 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %6 = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x?x3xf32>, tensor<f32>) -> tensor<2x?xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<?xf32>, tensor<?xf64>, tensor<?xf16>, tensor<?xi32>, tensor<2x?xf32>, tensor<?xf32>, tensor<2x?xf32>
}
