// expect: schedule "attention 16"
// plain
func.func public @main(%q: tensor<130x7xi8>, %k: tensor<900x7xi8>, %v: tensor<900x5xi8>) -> tensor<130x5xi32> {
  // Weights are bytes: their dot is exact. Blocks of rows, the last one of fewer.
  %dot = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<130x7xi8>, tensor<900x7xi8>) -> tensor<130x900xi32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %m = stablehlo.reduce(%dot init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<130x900xi32>, tensor<i32>) -> tensor<130xi32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<130xi32>) -> tensor<130x900xi32>
  %d = stablehlo.subtract %mb, %dot : tensor<130x900xi32>
  %by = stablehlo.constant dense<9> : tensor<130x900xi32>
  %shifted = stablehlo.shift_right_logical %d, %by : tensor<130x900xi32>
  %most = stablehlo.constant dense<127> : tensor<130x900xi32>
  %near = stablehlo.minimum %shifted, %most : tensor<130x900xi32>
  %left = stablehlo.subtract %most, %near : tensor<130x900xi32>
  %w = stablehlo.convert %left : (tensor<130x900xi32>) -> tensor<130x900xi8>
  %r = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<130x900xi8>, tensor<900x5xi8>) -> tensor<130x5xi32>
  return %r : tensor<130x5xi32>
}
