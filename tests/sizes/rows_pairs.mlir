// sizes: n=3
// rows: n
// refused: n=0 S1106
// Two rows of the input belong to one of the output.
func.func public @main(%x: tensor<?x4xf32>, %gain: tensor<f32>) -> tensor<?x8xf32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rest = stablehlo.remainder %d, %two : tensor<i32>
  %even = stablehlo.compare EQ, %rest, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%even, %d) {error_message = "{0} rows are odd", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %n = stablehlo.divide %d, %two : tensor<i32>
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0} pairs are too few", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %0 = call @body(%n, %x, %gain) : (tensor<i32>, tensor<?x4xf32>, tensor<f32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @body(%n: tensor<i32> {jax.global_constant = "n"}, %x: tensor<?x4xf32>, %gain: tensor<f32>) -> tensor<?x8xf32> {
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x8xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %gain, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x8xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
