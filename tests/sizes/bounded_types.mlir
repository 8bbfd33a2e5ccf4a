// sizes: x.1=3,x.3=5
// open: x.1=17 x.3=64
// Sizes of inner dimensions, of several types. A scalar stays as it is.
func.func public @main(%x: tensor<2x?x3x?xf64> loc("x"), %n: tensor<2x?x3x?xi8> loc("n"), %p: tensor<?xi1> loc("p"), %z: tensor<?x?xcomplex<f32>> loc("z"), %s: tensor<f32> loc("s")) -> (tensor<2x?x3x?xf64>, tensor<2x?x3x?xi8>, tensor<?xi1>, tensor<?x?xcomplex<f32>>, tensor<f32>) {
  %m0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?x3x?xf64>) -> tensor<i32>
  %n0 = stablehlo.get_dimension_size %n, dim = 1 : (tensor<2x?x3x?xi8>) -> tensor<i32>
  %same0 = stablehlo.compare EQ, %n0, %m0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same0, %m0, %n0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %m1 = stablehlo.get_dimension_size %x, dim = 3 : (tensor<2x?x3x?xf64>) -> tensor<i32>
  %n1 = stablehlo.get_dimension_size %n, dim = 3 : (tensor<2x?x3x?xi8>) -> tensor<i32>
  %same1 = stablehlo.compare EQ, %n1, %m1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same1, %m1, %n1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %m2 = stablehlo.get_dimension_size %x, dim = 3 : (tensor<2x?x3x?xf64>) -> tensor<i32>
  %n2 = stablehlo.get_dimension_size %p, dim = 0 : (tensor<?xi1>) -> tensor<i32>
  %same2 = stablehlo.compare EQ, %n2, %m2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same2, %m2, %n2) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %m3 = stablehlo.get_dimension_size %x, dim = 3 : (tensor<2x?x3x?xf64>) -> tensor<i32>
  %n3 = stablehlo.get_dimension_size %z, dim = 0 : (tensor<?x?xcomplex<f32>>) -> tensor<i32>
  %same3 = stablehlo.compare EQ, %n3, %m3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same3, %m3, %n3) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %m4 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?x3x?xf64>) -> tensor<i32>
  %n4 = stablehlo.get_dimension_size %z, dim = 1 : (tensor<?x?xcomplex<f32>>) -> tensor<i32>
  %same4 = stablehlo.compare EQ, %n4, %m4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same4, %m4, %n4) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = stablehlo.add %x, %x : tensor<2x?x3x?xf64>
  %1 = stablehlo.negate %n : tensor<2x?x3x?xi8>
  %2 = stablehlo.not %p : tensor<?xi1>
  %3 = stablehlo.add %z, %z : tensor<?x?xcomplex<f32>>
  %4 = stablehlo.add %s, %s : tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<2x?x3x?xf64>, tensor<2x?x3x?xi8>, tensor<?xi1>, tensor<?x?xcomplex<f32>>, tensor<f32>
}
