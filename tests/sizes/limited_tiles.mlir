// every: x.0=11,x.1=19
// open: x.0=100 x.1=90
// Rows whose number and length are sizes, reduced several at a time: those of the last tile may not be there. Sums, extrema with elements that
// are not numbers, of two types, of rows of two dimensions, and of a given number. No size is 0: all are used in place.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %b: tensor<?x?xi8> loc("b"), %y: tensor<3x?x?xf32> loc("y"), %z: tensor<13x?xf32> loc("z")) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi8>, tensor<?xi8>, tensor<3x?xf32>, tensor<13xf32>, tensor<13xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i8>
  %all = stablehlo.constant dense<-1> : tensor<i8>
  %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %br = stablehlo.get_dimension_size %b, dim = 0 : (tensor<?x?xi8>) -> tensor<i32>
  %bs = stablehlo.get_dimension_size %b, dim = 1 : (tensor<?x?xi8>) -> tensor<i32>
  %yr = stablehlo.get_dimension_size %y, dim = 1 : (tensor<3x?x?xf32>) -> tensor<i32>
  %ys = stablehlo.get_dimension_size %y, dim = 2 : (tensor<3x?x?xf32>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %r, %br, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %s, %bs, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e2 = stablehlo.compare EQ, %r, %yr, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e3 = stablehlo.compare EQ, %s, %ys, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %r, %br) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %s, %bs) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e2, %r, %yr) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e3, %s, %ys) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %zs = stablehlo.get_dimension_size %z, dim = 1 : (tensor<13x?xf32>) -> tensor<i32>
  %e4 = stablehlo.compare EQ, %s, %zs, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e4, %s, %zs) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %one = stablehlo.constant dense<1> : tensor<i32>
  %e5 = stablehlo.compare GE, %r, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e6 = stablehlo.compare GE, %s, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e5, %r) {error_message = "{0} is 0", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e6, %s) {error_message = "{0} is 0", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  // 0 / 0 where it is zero.
  %ties = stablehlo.round_nearest_even %x : tensor<?x?xf32>
  %odd = stablehlo.divide %ties, %ties : tensor<?x?xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %nans = stablehlo.reduce(%odd init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %bytes = stablehlo.reduce(%b init: %none) applies stablehlo.add across dimensions = [1] : (tensor<?x?xi8>, tensor<i8>) -> tensor<?xi8>
  %bits = stablehlo.reduce(%b init: %all) applies stablehlo.and across dimensions = [1] : (tensor<?x?xi8>, tensor<i8>) -> tensor<?xi8>
  %sums = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x?x?xf32>, tensor<f32>) -> tensor<3x?xf32>
  %zsum = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  %zmax = stablehlo.reduce(%z init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  return %sum, %max, %nans, %bytes, %bits, %sums, %zsum, %zmax : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi8>, tensor<?xi8>, tensor<3x?xf32>, tensor<13xf32>, tensor<13xf32>
}
