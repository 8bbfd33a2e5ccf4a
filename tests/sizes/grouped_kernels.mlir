// sizes: x.0=2,x.1=3
// every: x.0=2,x.1=7
// open: x.0=3 x.1=9
// The gradient of a kernel of each channel by images of open height: three by three sums for each of two channels.
func.func public @main(%x: tensor<?x?x5x2xf32> loc("x"), %d: tensor<?x?x5x2xf32> loc("d")) -> tensor<3x3x1x2xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %h = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x5x2xf32>) -> tensor<i32>
  %some = stablehlo.compare GE, %h, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %h) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %0 = stablehlo.add %x, %d : tensor<?x?x5x2xf32>
  %1 = stablehlo.convolution(%x, %0) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<?x?x5x2xf32>, tensor<?x?x5x2xf32>) -> tensor<3x3x1x2xf32>
  return %1 : tensor<3x3x1x2xf32>
}
