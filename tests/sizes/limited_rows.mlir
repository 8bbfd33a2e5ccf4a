// every: x.1=41
// open: x.1=150
// Rows that end at a size and are reduced, several of them at a time: sums, also from a number on, extrema, with elements that are not
// numbers, too, products and bits, of several types and numbers of rows that are no multiple.
func.func public @main(%x: tensor<13x?xf32> loc("x"), %d: tensor<3x?xf64> loc("d"), %b: tensor<9x?xi8> loc("b"), %i: tensor<2x5x?xi32> loc("i"), %h: tensor<8x?xbf16> loc("h"), %y: tensor<1x?xf32> loc("y")) -> (tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<3xf64>, tensor<3xf64>, tensor<9xi8>, tensor<9xi8>, tensor<9xi8>, tensor<2x5xi32>, tensor<2x5xi32>, tensor<2x5xi32>, tensor<2x5xi32>, tensor<8xbf16>, tensor<8xbf16>, tensor<1xf32>, tensor<1xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %unit = stablehlo.constant dense<1.0> : tensor<f32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %dzero = stablehlo.constant dense<0.0> : tensor<f64>
  %dlow = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %blow = stablehlo.constant dense<-128> : tensor<i8>
  %ones = stablehlo.constant dense<-1> : tensor<i8>
  %bzero = stablehlo.constant dense<0> : tensor<i8>
  %izero = stablehlo.constant dense<0> : tensor<i32>
  %ihigh = stablehlo.constant dense<2147483647> : tensor<i32>
  %hzero = stablehlo.constant dense<0.0> : tensor<bf16>
  %hlow = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %n0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<13x?xf32>) -> tensor<i32>
  %n1 = stablehlo.get_dimension_size %d, dim = 1 : (tensor<3x?xf64>) -> tensor<i32>
  %e1 = stablehlo.compare EQ, %n0, %n1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e1, %n0, %n1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %n2 = stablehlo.get_dimension_size %b, dim = 1 : (tensor<9x?xi8>) -> tensor<i32>
  %e2 = stablehlo.compare EQ, %n0, %n2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e2, %n0, %n2) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %n3 = stablehlo.get_dimension_size %i, dim = 2 : (tensor<2x5x?xi32>) -> tensor<i32>
  %e3 = stablehlo.compare EQ, %n0, %n3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e3, %n0, %n3) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %n4 = stablehlo.get_dimension_size %h, dim = 1 : (tensor<8x?xbf16>) -> tensor<i32>
  %e4 = stablehlo.compare EQ, %n0, %n4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e4, %n0, %n4) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %n5 = stablehlo.get_dimension_size %y, dim = 1 : (tensor<1x?xf32>) -> tensor<i32>
  %e5 = stablehlo.compare EQ, %n0, %n5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e5, %n0, %n5) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  // 0 / 0 where it is zero; numbers whose sums are exact.
  %ties = stablehlo.round_nearest_even %x : tensor<13x?xf32>
  %odd = stablehlo.divide %ties, %ties : tensor<13x?xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  %more = stablehlo.reduce(%x init: %ten) applies stablehlo.add across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  %min = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  %product = stablehlo.reduce(%ties init: %unit) applies stablehlo.multiply across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  %nans = stablehlo.reduce(%odd init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  %whole = stablehlo.round_nearest_even %d : tensor<3x?xf64>
  %halves = stablehlo.round_nearest_even %h : tensor<8x?xbf16>
  %exp = stablehlo.exponential %x : tensor<13x?xf32>
  %sumexp = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<13x?xf32>, tensor<f32>) -> tensor<13xf32>
  %dsum = stablehlo.reduce(%whole init: %dzero) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf64>, tensor<f64>) -> tensor<3xf64>
  %dmax = stablehlo.reduce(%d init: %dlow) applies stablehlo.maximum across dimensions = [1] : (tensor<3x?xf64>, tensor<f64>) -> tensor<3xf64>
  %bmax = stablehlo.reduce(%b init: %blow) applies stablehlo.maximum across dimensions = [1] : (tensor<9x?xi8>, tensor<i8>) -> tensor<9xi8>
  %ball = stablehlo.reduce(%b init: %ones) applies stablehlo.and across dimensions = [1] : (tensor<9x?xi8>, tensor<i8>) -> tensor<9xi8>
  %bsum = stablehlo.reduce(%b init: %bzero) applies stablehlo.add across dimensions = [1] : (tensor<9x?xi8>, tensor<i8>) -> tensor<9xi8>
  %isum = stablehlo.reduce(%i init: %izero) applies stablehlo.add across dimensions = [2] : (tensor<2x5x?xi32>, tensor<i32>) -> tensor<2x5xi32>
  %imin = stablehlo.reduce(%i init: %ihigh) applies stablehlo.minimum across dimensions = [2] : (tensor<2x5x?xi32>, tensor<i32>) -> tensor<2x5xi32>
  %ior = stablehlo.reduce(%i init: %izero) applies stablehlo.or across dimensions = [2] : (tensor<2x5x?xi32>, tensor<i32>) -> tensor<2x5xi32>
  %ixor = stablehlo.reduce(%i init: %izero) applies stablehlo.xor across dimensions = [2] : (tensor<2x5x?xi32>, tensor<i32>) -> tensor<2x5xi32>
  %hsum = stablehlo.reduce(%halves init: %hzero) applies stablehlo.add across dimensions = [1] : (tensor<8x?xbf16>, tensor<bf16>) -> tensor<8xbf16>
  %hmax = stablehlo.reduce(%h init: %hlow) applies stablehlo.maximum across dimensions = [1] : (tensor<8x?xbf16>, tensor<bf16>) -> tensor<8xbf16>
  %ysum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1x?xf32>, tensor<f32>) -> tensor<1xf32>
  %ymax = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<1x?xf32>, tensor<f32>) -> tensor<1xf32>
  return %sum, %more, %max, %min, %product, %nans, %sumexp, %dsum, %dmax, %bmax, %ball, %bsum, %isum, %imin, %ior, %ixor, %hsum, %hmax, %ysum, %ymax : tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<3xf64>, tensor<3xf64>, tensor<9xi8>, tensor<9xi8>, tensor<9xi8>, tensor<2x5xi32>, tensor<2x5xi32>, tensor<2x5xi32>, tensor<2x5xi32>, tensor<8xbf16>, tensor<8xbf16>, tensor<1xf32>, tensor<1xf32>
}
