// sizes: x.1=3
// open: x.1=40
// An input of which a slice is read in place, beside loops that are split into tasks: the slice becomes its accesses, the bounds of tasks stay.
func.func public @main(%x: tensor<64x?xi8> loc("x")) -> (tensor<64x64x1xi8>, tensor<128x64x128xf32>, tensor<64xi8>) {
  %low = stablehlo.constant dense<-4> : tensor<i8>
  %high = stablehlo.constant dense<4> : tensor<i8>
  %least = stablehlo.constant dense<-128> : tensor<i8>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<64x?xi8>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %small = stablehlo.clamp %low, %x, %high : (tensor<i8>, tensor<64x?xi8>, tensor<i8>) -> tensor<64x?xi8>
  %dot = stablehlo.dot_general %small, %small, contracting_dims = [1] x [1] : (tensor<64x?xi8>, tensor<64x?xi8>) -> tensor<64x64xi8>
  %all = stablehlo.broadcast_in_dim %dot, dims = [1, 2] : (tensor<64x64xi8>) -> tensor<64x64x64xi8>
  %rows = stablehlo.reduce(%all init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<64x64x64xi8>, tensor<i8>) -> tensor<64x64xi8>
  %0 = stablehlo.reshape %rows : (tensor<64x64xi8>) -> tensor<64x64x1xi8>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %f = stablehlo.convert %all : (tensor<64x64x64xi8>) -> tensor<64x64x64xf32>
  %twice = stablehlo.concatenate %f, %f, dim = 0 : (tensor<64x64x64xf32>, tensor<64x64x64xf32>) -> tensor<128x64x64xf32>
  %sums = "stablehlo.reduce_window"(%twice, %zero) <{padding = dense<[[0, 0], [0, 63], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 64, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) : (tensor<128x64x64xf32>, tensor<f32>) -> tensor<128x64x64xf32>
  %1 = stablehlo.concatenate %sums, %sums, dim = 2 : (tensor<128x64x64xf32>, tensor<128x64x64xf32>) -> tensor<128x64x128xf32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %end = stablehlo.subtract %n, %one : tensor<i32>
  %last = stablehlo.dynamic_slice %x, %none, %end, sizes = [64, 1] : (tensor<64x?xi8>, tensor<i32>, tensor<i32>) -> tensor<64x1xi8>
  %2 = stablehlo.reshape %last : (tensor<64x1xi8>) -> tensor<64xi8>
  return %0, %1, %2 : tensor<64x64x1xi8>, tensor<128x64x128xf32>, tensor<64xi8>
}
