// Windows along split dimensions: devices get the rows beside theirs from their neighbours. 18 rows on 4 devices are 5, 5, 5 and 3.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<2x18x5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}, {}]>}, %k: tensor<3x3x2x3xi32>, %l: tensor<5x2x3x1xi32>, %b: tensor<17x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
      -> (tensor<2x18x5x3xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}, {}]>}, tensor<2x8x4x1xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}, {}]>}, tensor<9x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<17x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %least = stablehlo.constant dense<-2147483648> : tensor<i32>
    %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {}, {}]>]>} : (tensor<2x18x5x2xi32>, tensor<3x3x2x3xi32>) -> tensor<2x18x5x3xi32>
    %1 = stablehlo.convolution(%0, %l) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[2, 0], [0, 0]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x18x5x3xi32>, tensor<5x2x3x1xi32>) -> tensor<2x8x4x1xi32>
    %2 = "stablehlo.reduce_window"(%b, %least) ({
    ^bb0(%l0: tensor<i32>, %r: tensor<i32>):
      %4 = stablehlo.maximum %l0, %r : tensor<i32>
      stablehlo.return %4 : tensor<i32>
    }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<17x3xi32>, tensor<i32>) -> tensor<9x3xi32>
    %3 = "stablehlo.reduce_window"(%b, %zero) ({
    ^bb0(%l1: tensor<i32>, %r: tensor<i32>):
      %4 = stablehlo.add %l1, %r : tensor<i32>
      stablehlo.return %4 : tensor<i32>
    }) {window_dimensions = array<i64: 17, 1>, padding = dense<[[16, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<17x3xi32>, tensor<i32>) -> tensor<17x3xi32>
    return %0, %1, %2, %3 : tensor<2x18x5x3xi32>, tensor<2x8x4x1xi32>, tensor<9x3xi32>, tensor<17x3xi32>
  }
}
