// sizes: x.0=5
// every: x.0=21
// Windows with one element less before them than they have, but with padding after them, too: the last ones reach over the end, and
// meet their initial value there, not zeros.
func.func public @main(%x: tensor<?xf32> loc("x"), %y: tensor<3x?xi8> loc("y")) -> (tensor<?xf32>, tensor<?xf32>, tensor<3x?xf64>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 1 : (tensor<3x?xi8>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %equal = stablehlo.compare EQ, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%equal, %m, %n) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %exp = stablehlo.exponential %x : tensor<?xf32>
  %0 = "stablehlo.reduce_window"(%exp, %high) <{padding = dense<[[3, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %least = stablehlo.minimum %a, %b : tensor<f32>
      stablehlo.return %least : tensor<f32>
  }) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "stablehlo.reduce_window"(%x, %high) <{padding = dense<[[3, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %least = stablehlo.minimum %a, %b : tensor<f32>
      stablehlo.return %least : tensor<f32>
  }) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %f = stablehlo.convert %y : (tensor<3x?xi8>) -> tensor<3x?xf32>
  %g = stablehlo.negate %f : tensor<3x?xf32>
  %2 = "stablehlo.reduce_window"(%g, %zero) <{padding = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 4>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  }) : (tensor<3x?xf32>, tensor<f32>) -> tensor<3x?xf32>
  %3 = stablehlo.convert %2 : (tensor<3x?xf32>) -> tensor<3x?xf64>
  return %0, %1, %3 : tensor<?xf32>, tensor<?xf32>, tensor<3x?xf64>
}
