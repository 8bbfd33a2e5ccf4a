// sizes: x.1=7,x.2=5
// open: x.1=7 x.2=5
// Windows that see valid elements only, the gradients of pools by them, and that of a kernel by images of open size. An infinite
// element changes only what it is part of.
func.func public @main(%x: tensor<2x?x?x3xf32> loc("x")) -> (tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x4xf32>, tensor<3x3x3x3xf32>, tensor<2x3x3x3xf32>) {
  %h = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?x?x3xf32>) -> tensor<i32>
  %w = stablehlo.get_dimension_size %x, dim = 2 : (tensor<2x?x?x3xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %high = stablehlo.compare GE, %h, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%high, %h) {error_message = "{0} is short", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %wide = stablehlo.compare GE, %w, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%wide, %w) {error_message = "{0} is narrow", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %two1 = stablehlo.constant dense<2> : tensor<1xi32>
  %three1 = stablehlo.constant dense<3> : tensor<1xi32>
  %h1 = stablehlo.reshape %h : (tensor<i32>) -> tensor<1xi32>
  %w1 = stablehlo.reshape %w : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %two1, %h1, %w1, %three1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %limit = stablehlo.constant dense<1.5> : tensor<f32>
  %infinite = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %number = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %limits = stablehlo.dynamic_broadcast_in_dim %limit, %shape, dims = [] : (tensor<f32>, tensor<4xi32>) -> tensor<2x?x?x3xf32>
  %infinities = stablehlo.dynamic_broadcast_in_dim %infinite, %shape, dims = [] : (tensor<f32>, tensor<4xi32>) -> tensor<2x?x?x3xf32>
  %nans = stablehlo.dynamic_broadcast_in_dim %number, %shape, dims = [] : (tensor<f32>, tensor<4xi32>) -> tensor<2x?x?x3xf32>
  %large = stablehlo.compare GT, %x, %limits : (tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>) -> tensor<2x?x?x3xi1>
  %negative = stablehlo.negate %x : tensor<2x?x?x3xf32>
  %small = stablehlo.compare GT, %negative, %limits : (tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>) -> tensor<2x?x?x3xi1>
  %some = stablehlo.select %large, %infinities, %x : tensor<2x?x?x3xi1>, tensor<2x?x?x3xf32>
  %special = stablehlo.select %small, %nans, %some : tensor<2x?x?x3xi1>, tensor<2x?x?x3xf32>
  %p0 = "stablehlo.reduce_window"(%special, %none) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>} : (tensor<2x?x?x3xf32>, tensor<f32>) -> tensor<2x?x?x3xf32>
  %p1 = "stablehlo.reduce_window"(%special, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 2, 1>, window_dilations = array<i64: 1, 1, 2, 1>, padding = dense<[[0, 0], [1, -1], [2, 0], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x?x?x3xf32>, tensor<f32>) -> tensor<2x?x?x3xf32>
  %q0 = "stablehlo.reduce_window"(%x, %none) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>} : (tensor<2x?x?x3xf32>, tensor<f32>) -> tensor<2x?x?x3xf32>
  %g0 = "stablehlo.select_and_scatter"(%special, %q0, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %keeps = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %keeps : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>} : (tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<f32>) -> tensor<2x?x?x3xf32>
  %q1 = "stablehlo.reduce_window"(%x, %none) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 2, 1>, padding = dense<[[0, 0], [1, 0], [1, -1], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x?x?x3xf32>, tensor<f32>) -> tensor<2x?x?x3xf32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %g1 = "stablehlo.select_and_scatter"(%special, %q1, %half) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %keeps = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %keeps : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 2, 1>, padding = dense<[[0, 0], [1, 0], [1, -1], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<f32>) -> tensor<2x?x?x3xf32>
  %kernel = stablehlo.constant dense<0.25> : tensor<3x2x3x4xf32>
  %c0 = stablehlo.convolution(%special, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[2, 0], [1, -1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x?x?x3xf32>, tensor<3x2x3x4xf32>) -> tensor<2x?x?x4xf32>
  %cosine = stablehlo.cosine %x : tensor<2x?x?x3xf32>
  %k0 = stablehlo.convolution(%special, %cosine) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>) -> tensor<3x3x3x3xf32>
  %rows = stablehlo.slice %cosine [0:2, 0:3, 0:3, 0:3] : (tensor<2x?x?x3xf32>) -> tensor<2x3x3x3xf32>
  return %p0, %p1, %g0, %g1, %c0, %k0, %rows : tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x4xf32>, tensor<3x3x3x3xf32>, tensor<2x3x3x3xf32>
}
