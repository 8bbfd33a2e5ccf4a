// plain
func.func public @main(%x: tensor<3x5x2xf32>, %y: tensor<4xf32>, %z: tensor<7x1x3xf32>) -> (tensor<6x15x2xf32>, tensor<7x8xf32>, tensor<14x9xf32>) {
  // Rows, then columns.
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2, 3] : (tensor<3x5x2xf32>) -> tensor<3x2x5x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x2x5x2xf32>) -> tensor<6x5x2xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 3] : (tensor<6x5x2xf32>) -> tensor<6x5x3x2xf32>
  %3 = stablehlo.reshape %2 : (tensor<6x5x3x2xf32>) -> tensor<6x15x2xf32>
  // What is read by an addition stays a broadcast of joined rows.
  %4 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %5 = stablehlo.reshape %4 : (tensor<2x4xf32>) -> tensor<8xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<8xf32>) -> tensor<7x8xf32>
  %7 = stablehlo.add %6, %6 : tensor<7x8xf32>
  // Dimensions of size 1 among those that are joined.
  %8 = stablehlo.broadcast_in_dim %z, dims = [0, 1, 3] : (tensor<7x1x3xf32>) -> tensor<7x1x3x3xf32>
  %9 = stablehlo.reshape %8 : (tensor<7x1x3x3xf32>) -> tensor<7x9xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [0, 2] : (tensor<7x9xf32>) -> tensor<7x2x9xf32>
  %11 = stablehlo.reshape %10 : (tensor<7x2x9xf32>) -> tensor<14x9xf32>
  return %3, %7, %11 : tensor<6x15x2xf32>, tensor<7x8xf32>, tensor<14x9xf32>
}
