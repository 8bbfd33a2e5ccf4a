// sizes: x.0=5
// every: x.0=21
// open: x.0=100
// An input that a row is put into, which is an output and is read otherwise, too: by sums that have no masks, and by a product.
func.func public @main(%x: tensor<?x20xf32> loc("x"), %u: tensor<1x20xf32> loc("u"), %at: tensor<i32> loc("at"), %v: tensor<?xf32> loc("v")) -> (tensor<20xf32>, tensor<?x20xf32>, tensor<20xf32>, tensor<?x20xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x20xf32>) -> tensor<i32>
  %n0 = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %n0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %n, %n0) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = stablehlo.dynamic_update_slice %x, %u, %at, %zero : (tensor<?x20xf32>, tensor<1x20xf32>, tensor<i32>, tensor<i32>) -> tensor<?x20xf32>
  %1 = stablehlo.reduce(%0 init: %f0) applies stablehlo.add across dimensions = [0] : (tensor<?x20xf32>, tensor<f32>) -> tensor<20xf32>
  %2 = stablehlo.dot_general %v, %0, contracting_dims = [0] x [0] : (tensor<?xf32>, tensor<?x20xf32>) -> tensor<20xf32>
  %3 = stablehlo.add %0, %0 : tensor<?x20xf32>
  return %1, %0, %2, %3 : tensor<20xf32>, tensor<?x20xf32>, tensor<20xf32>, tensor<?x20xf32>
}
