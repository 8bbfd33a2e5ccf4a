// sizes: x.1=5,x.2=4
// sizes: x.1=1,x.2=2
// open: x.1=9 x.2=11
// Windows of stride 2 whose padding depends on the size: none before an even number of rows, one before an odd one. The gradient of a
// kernel sums over all rows and columns.
func.func public @main(%x: tensor<1x?x?x3xf32> loc("x"), %k: tensor<3x3x3x4xf32> loc("k"), %v: tensor<1x1x3x5xf32> loc("v")) -> (tensor<1x?x?x4xf32>, tensor<1x?x?x3xf32>, tensor<3x3x3x5xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %least = stablehlo.constant dense<1> : tensor<i32>
  %h = stablehlo.get_dimension_size %x, dim = 1 : (tensor<1x?x?x3xf32>) -> tensor<i32>
  %w = stablehlo.get_dimension_size %x, dim = 2 : (tensor<1x?x?x3xf32>) -> tensor<i32>
  %has_rows = stablehlo.compare GE, %h, %least, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%has_rows, %h) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %has_columns = stablehlo.compare GE, %w, %least, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%has_columns, %w) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %odd_h = stablehlo.remainder %h, %two : tensor<i32>
  %odd_w = stablehlo.remainder %w, %two : tensor<i32>
  %before_h = stablehlo.reshape %odd_h : (tensor<i32>) -> tensor<1xi32>
  %before_w = stablehlo.reshape %odd_w : (tensor<i32>) -> tensor<1xi32>
  %list = stablehlo.concatenate %before_h, %one, %before_w, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %edges = stablehlo.reshape %list : (tensor<4xi32>) -> tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %edges) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 2>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x?x?x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>
  %all = stablehlo.concatenate %zero, %zero, %list, %zero, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<4xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<8xi32>
  %padding = stablehlo.reshape %all : (tensor<8xi32>) -> tensor<4x2xi32>
  %window = stablehlo.constant dense<[1, 3, 3, 1]> : tensor<4xi32>
  %strides = stablehlo.constant dense<[1, 2, 2, 1]> : tensor<4xi32>
  %ones = stablehlo.constant dense<1> : tensor<4xi32>
  %1 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %low, %window, %strides, %ones, %ones, %padding) {called_computations = [@max]} : (tensor<1x?x?x3xf32>, tensor<f32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4x2xi32>) -> tensor<1x?x?x3xf32>
  %y = stablehlo.convolution(%x, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x?x3xf32>, tensor<1x1x3x5xf32>) -> tensor<1x?x?x5xf32>
  %2 = stablehlo.convolution(%x, %y) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x?x3xf32>, tensor<1x?x?x5xf32>) -> tensor<3x3x3x5xf32>
  return %0, %1, %2 : tensor<1x?x?x4xf32>, tensor<1x?x?x3xf32>, tensor<3x3x3x5xf32>
}
func.func private @max(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.maximum %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
