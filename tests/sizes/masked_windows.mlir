// sizes: x.1=7
// open: x.1=17
// Convolutions and windows along a dimension of open size: with padding, strides and dilations.
func.func public @main(%x: tensor<2x?x3xf32> loc("x")) -> (tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?x3xf32>) -> tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %enough = stablehlo.compare GE, %n, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %n) {error_message = "{0} is short", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %e = stablehlo.exponential %x : tensor<2x?x3xf32>
  %kernel = stablehlo.constant dense<[[[0.5, -1.0, 2.0, 0.25], [1.0, 0.0, -0.5, 1.5], [0.75, 2.0, 1.0, -1.0]], [[1.0, 0.5, -2.0, 1.0], [-1.0, 0.25, 0.5, 0.5], [2.0, 1.0, 0.0, 1.0]], [[0.0, 1.0, 1.0, -0.5], [0.5, 0.5, 0.5, 0.5], [-1.0, 1.0, 2.0, 0.25]]]> : tensor<3x3x4xf32>
  %0 = stablehlo.convolution(%e, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x?x3xf32>, tensor<3x3x4xf32>) -> tensor<2x?x4xf32>
  %1 = stablehlo.convolution(%e, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x?x3xf32>, tensor<3x3x4xf32>) -> tensor<2x?x4xf32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %negative = stablehlo.negate %e : tensor<2x?x3xf32>
  %2 = "stablehlo.reduce_window"(%negative, %none) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %max = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %max : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>} : (tensor<2x?x3xf32>, tensor<f32>) -> tensor<2x?x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = "stablehlo.reduce_window"(%e, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [0, 1], [0, 0]]> : tensor<3x2xi64>} : (tensor<2x?x3xf32>, tensor<f32>) -> tensor<2x?x3xf32>
  return %0, %1, %2, %3 : tensor<2x?x4xf32>, tensor<2x?x4xf32>, tensor<2x?x3xf32>, tensor<2x?x3xf32>
}
