// sizes: x.1=3
// every: x.1=19
// open: x.1=100
// Each element of a row again and again, as jnp.repeat does: an output whose rows are read and written as rows of rows.
func.func public @main(%x: tensor<5x?xf32> loc("x"), %v: tensor<?xi16> loc("v")) -> (tensor<5x?xf32>, tensor<?xi16>, tensor<?x5xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<5x?xf32>) -> tensor<i32>
  %v0 = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xi16>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %n, %v0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %n, %v0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %one = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.constant dense<2> : tensor<1xi32>
  %3 = stablehlo.constant dense<3> : tensor<1xi32>
  %5 = stablehlo.constant dense<5> : tensor<1xi32>
  %s2 = stablehlo.multiply %s, %2 : tensor<1xi32>
  %s3 = stablehlo.multiply %s, %3 : tensor<1xi32>
  %by_two = stablehlo.concatenate %5, %s, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %all_two = stablehlo.concatenate %5, %s2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %xx = stablehlo.dynamic_broadcast_in_dim %x, %by_two, dims = [0, 1] : (tensor<5x?xf32>, tensor<3xi32>) -> tensor<5x?x2xf32>
  %0 = stablehlo.dynamic_reshape %xx, %all_two : (tensor<5x?x2xf32>, tensor<2xi32>) -> tensor<5x?xf32>
  %by_three = stablehlo.concatenate %s, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %vv = stablehlo.dynamic_broadcast_in_dim %v, %by_three, dims = [0] : (tensor<?xi16>, tensor<2xi32>) -> tensor<?x3xi16>
  %1 = stablehlo.dynamic_reshape %vv, %s3 : (tensor<?x3xi16>, tensor<1xi32>) -> tensor<?xi16>
  // Rows again and again.
  %moved = stablehlo.transpose %x, dims = [1, 0] : (tensor<5x?xf32>) -> tensor<?x5xf32>
  %rows = stablehlo.concatenate %s, %3, %5, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %all = stablehlo.concatenate %s3, %5, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %tt = stablehlo.dynamic_broadcast_in_dim %moved, %rows, dims = [0, 2] : (tensor<?x5xf32>, tensor<3xi32>) -> tensor<?x3x5xf32>
  %4 = stablehlo.dynamic_reshape %tt, %all : (tensor<?x3x5xf32>, tensor<2xi32>) -> tensor<?x5xf32>
  return %0, %1, %4 : tensor<5x?xf32>, tensor<?xi16>, tensor<?x5xf32>
}
