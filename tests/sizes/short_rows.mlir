// every: x.0=9,x.1=11
// open: x.0=100 x.1=90
// sizes: x.0=5,x.1=3
// What short rows have no schedule for ends with the rows of a call, and starts from a number instead of a filled tensor: reductions
// with and without a neutral initial value, in several types, orders of dimensions and with a tensor that is reduced twice. Elementwise
// operations and sums of one element read and write tensors of fewer dimensions.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %i: tensor<?x?xi32> loc("i"), %d: tensor<?x2x?xf64> loc("d"), %t: tensor<?x?xf32> loc("t"), %p: tensor<?x?x2xf32> loc("p")) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?x2xf64>, tensor<?xf32>, tensor<?xf32>, tensor<?x?x2xf32>, tensor<?x2xf32>, tensor<?xf32>, tensor<?xi1>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %i0 = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x?xi32>) -> tensor<i32>
  %i1 = stablehlo.get_dimension_size %i, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
  %d0 = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?x2x?xf64>) -> tensor<i32>
  %d2 = stablehlo.get_dimension_size %d, dim = 2 : (tensor<?x2x?xf64>) -> tensor<i32>
  %t0 = stablehlo.get_dimension_size %t, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %t1 = stablehlo.get_dimension_size %t, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %p0 = stablehlo.get_dimension_size %p, dim = 0 : (tensor<?x?x2xf32>) -> tensor<i32>
  %p1 = stablehlo.get_dimension_size %p, dim = 1 : (tensor<?x?x2xf32>) -> tensor<i32>
  %a0 = stablehlo.compare GE, %r, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a1 = stablehlo.compare GE, %s, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a2 = stablehlo.compare EQ, %i0, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a3 = stablehlo.compare EQ, %i1, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a4 = stablehlo.compare EQ, %d0, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a5 = stablehlo.compare EQ, %d2, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a6 = stablehlo.compare EQ, %t0, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a7 = stablehlo.compare EQ, %t1, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a8 = stablehlo.compare EQ, %p0, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %a9 = stablehlo.compare EQ, %p1, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%a0, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a1, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a2, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a3, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a4, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a5, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a6, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a7, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a8, %r) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%a9, %s) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0.0> : tensor<f64>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %tanh = stablehlo.tanh %x : tensor<?x?xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %least = stablehlo.reduce(%i init: %one) applies stablehlo.minimum across dimensions = [1] : (tensor<?x?xi32>, tensor<i32>) -> tensor<?xi32>
  %doubles = stablehlo.reduce(%d init: %none) applies stablehlo.maximum across dimensions = [2] : (tensor<?x2x?xf64>, tensor<f64>) -> tensor<?x2xf64>
  %columns = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %started = stablehlo.reduce(%tanh init: %ten) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %cosines = stablehlo.cosine %p : tensor<?x?x2xf32>
  %pairs = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?x2xf32>, tensor<f32>) -> tensor<?x2xf32>
  // Read by another operation, and returned.
  %scaled = stablehlo.multiply %sum, %columns : tensor<?xf32>
  %negative = stablehlo.compare LT, %x, %tanh : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi1>
  %any = stablehlo.reduce(%negative init: %false) applies stablehlo.or across dimensions = [1] : (tensor<?x?xi1>, tensor<i1>) -> tensor<?xi1>
  return %tanh, %sum, %max, %least, %doubles, %columns, %started, %cosines, %pairs, %scaled, %any : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?x2xf64>, tensor<?xf32>, tensor<?xf32>, tensor<?x?x2xf32>, tensor<?x2xf32>, tensor<?xf32>, tensor<?xi1>
}
