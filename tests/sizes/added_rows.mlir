// every: x.2=63
// A row that is added to each row, of one vector or more and of a tile and more, as rows of matrices and of a list of these.
func.func public @main(%x: tensor<3x4x?xf32> loc("x"), %y: tensor<?xf32> loc("y"), %z: tensor<5x?xf64> loc("z"), %w: tensor<?xf64> loc("w")) -> (tensor<3x4x?xf32>, tensor<5x?xf64>) {
  %xs = stablehlo.get_dimension_size %x, dim = 2 : (tensor<3x4x?xf32>) -> tensor<i32>
  %ys = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %zs = stablehlo.get_dimension_size %z, dim = 1 : (tensor<5x?xf64>) -> tensor<i32>
  %ws = stablehlo.get_dimension_size %w, dim = 0 : (tensor<?xf64>) -> tensor<i32>
  %a = stablehlo.compare EQ, %xs, %ys : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%a, %xs, %ys) {error_message = "{0} is not {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %b = stablehlo.compare EQ, %xs, %zs : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%b, %xs, %zs) {error_message = "{0} is not {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %c = stablehlo.compare EQ, %xs, %ws : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%c, %xs, %ws) {error_message = "{0} is not {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %three = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %length = stablehlo.reshape %xs : (tensor<i32>) -> tensor<1xi32>
  %lists = stablehlo.concatenate %three, %length, dim = 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>
  %rows = stablehlo.concatenate %five, %length, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ya = stablehlo.dynamic_broadcast_in_dim %y, %lists, dims = [2] : (tensor<?xf32>, tensor<3xi32>) -> tensor<3x4x?xf32>
  %wa = stablehlo.dynamic_broadcast_in_dim %w, %rows, dims = [1] : (tensor<?xf64>, tensor<2xi32>) -> tensor<5x?xf64>
  %0 = stablehlo.add %x, %ya : tensor<3x4x?xf32>
  %1 = stablehlo.add %z, %wa : tensor<5x?xf64>
  return %0, %1 : tensor<3x4x?xf32>, tensor<5x?xf64>
}
