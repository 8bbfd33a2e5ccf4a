// plain
// absolute: 1e-4
module {
  // Results that cannot hold what the operands do: sums are in the operands' type, and converted.
  func.func public @main(%x: tensor<1x7x3xf32>, %w: tensor<2x3x5xf32>, %c: tensor<1x7x3xcomplex<f32>>, %d: tensor<2x3x5xcomplex<f32>>) -> (tensor<1x6x5xi32>, tensor<1x6x5xf32>) {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x7x3xf32>, tensor<2x3x5xf32>) -> tensor<1x6x5xi32>
    %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x7x3xcomplex<f32>>, tensor<2x3x5xcomplex<f32>>) -> tensor<1x6x5xf32>
    return %0, %1 : tensor<1x6x5xi32>, tensor<1x6x5xf32>
  }
}
