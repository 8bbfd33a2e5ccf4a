// sizes: x.1=5
// open: x.1=9
// open: x.1=24
// Windows of images of which the sizes are open, beside their edges.
func.func public @main(%x: tensor<2x?x?x16xf32> loc("x")) -> tensor<2x?x?x16xf32> {
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %rows = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?x?x16xf32>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 2 : (tensor<2x?x?x16xf32>) -> tensor<i32>
  %are_same = stablehlo.compare EQ, %rows, %columns : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%are_same, %columns, %rows) {error_message = "{0} is not {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %0 = "stablehlo.reduce_window"(%x, %none) <{padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x?x?x16xf32>, tensor<f32>) -> tensor<2x?x?x16xf32>
  return %0 : tensor<2x?x?x16xf32>
}
