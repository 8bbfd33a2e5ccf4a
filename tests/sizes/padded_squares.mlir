// sizes: x.0=3
// every: x.0=150
// Pads whose rows end further on than those of their inputs, of what inputs are beyond their sizes and of others; elements chosen by
// their places, and computed from these, in rows whose last vector begins earlier.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %y: tensor<3x?xi32> loc("y")) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<3x?xi32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %k = stablehlo.get_dimension_size %y, dim = 1 : (tensor<3x?xi32>) -> tensor<i32>
  %is_square = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%is_square, %n, %m) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %is_same = stablehlo.compare EQ, %n, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%is_same, %n, %k) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %negative = stablehlo.constant dense<-0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %length = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %length, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.pad %x, %zero, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %1 = stablehlo.pad %x, %negative, low = [0, 3], high = [2, 0], interior = [0, 0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %2 = stablehlo.pad %x, %least, low = [2, 1], high = [0, 17], interior = [0, 0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %3 = stablehlo.pad %y, %none, low = [0, 2], high = [0, 5], interior = [0, 0] : (tensor<3x?xi32>, tensor<i32>) -> tensor<3x?xi32>
  %rows = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %columns = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  %halves = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  %is_lower = stablehlo.compare GE, %rows, %columns, SIGNED : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi1>
  %4 = stablehlo.select %is_lower, %x, %zeros : tensor<?x?xi1>, tensor<?x?xf32>
  %places = stablehlo.convert %columns : (tensor<?x?xi32>) -> tensor<?x?xf32>
  %moved = stablehlo.multiply %places, %halves : tensor<?x?xf32>
  %5 = stablehlo.subtract %moved, %x : tensor<?x?xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<3x?xi32>, tensor<?x?xf32>, tensor<?x?xf32>
}
