// Slices, padding, reversed and concatenated dimensions that are split before and after.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<5x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %c: tensor<1x3xi32>, %p: tensor<i32>)
      -> (tensor<7x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<13x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<10x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<16x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<3x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %a [2:9, 0:3] : (tensor<10x3xi32>) -> tensor<7x3xi32>
    %1 = stablehlo.slice %a [1:10:3, 0:3] : (tensor<10x3xi32>) -> tensor<3x3xi32>
    %q = stablehlo.slice %a [6:10, 0:3] : (tensor<10x3xi32>) -> tensor<4x3xi32>
    %2 = stablehlo.pad %a, %p, low = [2, 0], high = [1, 0], interior = [0, 0] : (tensor<10x3xi32>, tensor<i32>) -> tensor<13x3xi32>
    %3 = stablehlo.pad %a, %p, low = [-3, 0], high = [1, 0], interior = [0, 0] : (tensor<10x3xi32>, tensor<i32>) -> tensor<8x3xi32>
    %4 = stablehlo.reverse %a, dims = [0] : tensor<10x3xi32>
    %5 = stablehlo.concatenate %c, %a, %b, dim = 0 : (tensor<1x3xi32>, tensor<10x3xi32>, tensor<5x3xi32>) -> tensor<16x3xi32>
    return %0, %q, %2, %3, %4, %5, %1 : tensor<7x3xi32>, tensor<4x3xi32>, tensor<13x3xi32>, tensor<8x3xi32>, tensor<10x3xi32>, tensor<16x3xi32>, tensor<3x3xi32>
  }
}
