// open: x.0=5 w.0=3 y.0=3
// Rows of `y` are computed apart; three elements are taken of `x`, and two of `w` are replaced, which asks for as many.
func.func public @main(%x: tensor<?x2xf32> loc("x"), %w: tensor<?xf32> loc("w"), %y: tensor<?x3xf32> loc("y"), %at: tensor<i32>) -> tensor<?x3xf32> {
  %none = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %taken = stablehlo.dynamic_slice %x, %at, %none, sizes = [3, 2] : (tensor<?x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %sum = stablehlo.reduce(%taken init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
  %new = stablehlo.constant dense<[0.5, 3.0]> : tensor<2xf32>
  %replaced = stablehlo.dynamic_update_slice %w, %new, %at : (tensor<?xf32>, tensor<2xf32>, tensor<i32>) -> tensor<?xf32>
  %most = stablehlo.reduce(%replaced init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %both = stablehlo.add %sum, %most : tensor<f32>
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %all = stablehlo.dynamic_broadcast_in_dim %both, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  %result = stablehlo.add %y, %all : tensor<?x3xf32>
  return %result : tensor<?x3xf32>
}
