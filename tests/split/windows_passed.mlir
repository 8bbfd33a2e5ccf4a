// Windows, slices, padding, reversed and concatenated dimensions stay split without being asked to: devices get what is beside their parts.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<2x13x3xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}, %k: tensor<3x3x2xi32>, %b: tensor<17xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
      -> (tensor<2x13x2xi32>, tensor<8xi32>, tensor<17xi32>, tensor<22xi32>, tensor<33xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x13x3xi32>, tensor<3x3x2xi32>) -> tensor<2x13x2xi32>
    %1 = "stablehlo.reduce_window"(%b, %zero) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %9 = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %9 : tensor<i32>
    }) {window_dimensions = array<i64: 3>, window_strides = array<i64: 2>} : (tensor<17xi32>, tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.reverse %b, dims = [0] : tensor<17xi32>
    %3 = stablehlo.pad %b, %seven, low = [3], high = [2], interior = [0] : (tensor<17xi32>, tensor<i32>) -> tensor<22xi32>
    %4 = stablehlo.slice %b [1:17] : (tensor<17xi32>) -> tensor<16xi32>
    %5 = stablehlo.concatenate %4, %b, dim = 0 : (tensor<16xi32>, tensor<17xi32>) -> tensor<33xi32>
    return %0, %1, %2, %3, %5 : tensor<2x13x2xi32>, tensor<8xi32>, tensor<17xi32>, tensor<22xi32>, tensor<33xi32>
  }
}
