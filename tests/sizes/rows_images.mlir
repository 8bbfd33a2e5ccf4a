// sizes: x.0=2
// rows: x.0
// A convolution, padding, a transpose and its inverse, and a flat result; one row of the input is two of the output.
func.func public @main(%x: tensor<?x5x4x3xf32> loc("x"), %k: tensor<2x2x3x4xf32>) -> (tensor<?x32xf32>, tensor<?x7x4x3xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5x4x3xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %c32 = stablehlo.constant dense<32> : tensor<1xi32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x5x4x3xf32>, tensor<2x2x3x4xf32>) -> tensor<?x4x4x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 3, 2] : (tensor<?x4x4x4xf32>) -> tensor<4x?x4x4xf32>
  %2 = stablehlo.negate %1 : tensor<4x?x4x4xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0, 2, 3] : (tensor<4x?x4x4xf32>) -> tensor<?x4x4x4xf32>
  %twice = stablehlo.multiply %rows, %c2 : tensor<1xi32>
  %shape = stablehlo.concatenate %twice, %c32, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %4 = stablehlo.dynamic_reshape %3, %shape : (tensor<?x4x4x4xf32>, tensor<2xi32>) -> tensor<?x32xf32>
  %5 = stablehlo.pad %x, %zero, low = [0, 1, 0, 0], high = [0, 1, 0, 0], interior = [0, 0, 0, 0] : (tensor<?x5x4x3xf32>, tensor<f32>) -> tensor<?x7x4x3xf32>
  %6 = stablehlo.reverse %5, dims = [1, 3] : tensor<?x7x4x3xf32>
  return %4, %6 : tensor<?x32xf32>, tensor<?x7x4x3xf32>
}
