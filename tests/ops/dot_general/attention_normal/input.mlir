// expect: schedule "attention 120"
// plain
// absolute: 1e-5
func.func public @main(%q: tensor<3x120x5xf32>, %k: tensor<3x200x5xf32>, %v: tensor<3x200x4xf32>) -> tensor<120x3x4xf32> {
  // Squares over their sums instead of exponentials, of keys up to the row's place and a half: all rows of a batch are a block.
  %dot = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x120x5xf32>, tensor<3x200x5xf32>) -> tensor<3x120x200xf32>
  %row = stablehlo.iota dim = 1 : tensor<3x120x200xi32>
  %key = stablehlo.iota dim = 2 : tensor<3x120x200xi32>
  %two = stablehlo.constant dense<2> : tensor<3x120x200xi32>
  %half = stablehlo.divide %key, %two : tensor<3x120x200xi32>
  %sees = stablehlo.compare GE, %row, %half, SIGNED : (tensor<3x120x200xi32>, tensor<3x120x200xi32>) -> tensor<3x120x200xi1>
  %square = stablehlo.multiply %dot, %dot : tensor<3x120x200xf32>
  %nothing = stablehlo.constant dense<0.0> : tensor<3x120x200xf32>
  %s = stablehlo.select %sees, %square, %nothing : tensor<3x120x200xi1>, tensor<3x120x200xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %l = stablehlo.reduce(%s init: %one) applies stablehlo.add across dimensions = [2] : (tensor<3x120x200xf32>, tensor<f32>) -> tensor<3x120xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0, 1] : (tensor<3x120xf32>) -> tensor<3x120x200xf32>
  %p = stablehlo.divide %s, %lb : tensor<3x120x200xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x120x200xf32>, tensor<3x200x4xf32>) -> tensor<3x120x4xf32>
  %r = stablehlo.transpose %o, dims = [1, 0, 2] : (tensor<3x120x4xf32>) -> tensor<120x3x4xf32>
  return %r : tensor<120x3x4xf32>
}
