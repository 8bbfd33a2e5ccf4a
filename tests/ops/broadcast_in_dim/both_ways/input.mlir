// plain
func.func public @main(%r: tensor<24xf32>, %x: tensor<24x24xf32>) -> (tensor<24x24xf32>, tensor<24x24xf32>, tensor<24x24xf32>) {
  // One operand, read along rows and along columns; what is made of both is read in the other order, too.
  %a = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<24xf32>) -> tensor<24x24xf32>
  %b = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<24xf32>) -> tensor<24x24xf32>
  %n = stablehlo.negate %b : tensor<24x24xf32>
  %s = stablehlo.add %a, %n : tensor<24x24xf32>
  %t = stablehlo.transpose %s, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
  %u = stablehlo.multiply %t, %x : tensor<24x24xf32>
  %v = stablehlo.transpose %x, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
  %w = stablehlo.subtract %x, %v : tensor<24x24xf32>
  return %s, %u, %w : tensor<24x24xf32>, tensor<24x24xf32>, tensor<24x24xf32>
}
