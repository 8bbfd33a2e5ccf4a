// sizes: x.0=8,x.1=6
// open: x.0=12 x.1=9
// Tiles of an image: a product of quotients is as many elements as the program asserts that there are.
func.func public @main(%x: tensor<?x?xf32> loc("x")) -> tensor<?x12xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %h = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %w = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %above = stablehlo.remainder %h, %four : tensor<i32>
  %whole = stablehlo.compare EQ, %above, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%whole, %h) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %beyond = stablehlo.remainder %w, %three : tensor<i32>
  %even = stablehlo.compare EQ, %beyond, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%even, %w) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %rows = stablehlo.divide %h, %four : tensor<i32>
  %columns = stablehlo.divide %w, %three : tensor<i32>
  %tiles = stablehlo.multiply %rows, %columns : tensor<i32>
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %t = stablehlo.reshape %tiles : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.constant dense<3> : tensor<1xi32>
  %4 = stablehlo.constant dense<4> : tensor<1xi32>
  %12 = stablehlo.constant dense<12> : tensor<1xi32>
  %split = stablehlo.concatenate %r, %4, %c, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %0 = stablehlo.dynamic_reshape %x, %split : (tensor<?x?xf32>, tensor<4xi32>) -> tensor<?x4x?x3xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<?x4x?x3xf32>) -> tensor<?x?x4x3xf32>
  %shape = stablehlo.concatenate %t, %12, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_reshape %1, %shape : (tensor<?x?x4x3xf32>, tensor<2xi32>) -> tensor<?x12xf32>
  return %2 : tensor<?x12xf32>
}
