// plain
// rms: 4e-6
module {
  func.func public @main(%x: tensor<1x17x7x7xf32>, %k: tensor<17x1x5x5xf32>, %b: tensor<1x17x1x1xf32>) -> tensor<1x17x4x4xf32> {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[2, 2], [2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 17 : i64} : (tensor<1x17x7x7xf32>, tensor<17x1x5x5xf32>) -> tensor<1x17x4x4xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [0, 1, 2, 3] : (tensor<1x17x1x1xf32>) -> tensor<1x17x4x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<1x17x4x4xf32>
    return %2 : tensor<1x17x4x4xf32>
  }
}
