// Two dimensions in ranges at once, one of them reversed, along axes in another order and beside a dimension that is split as before.
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2, "z"=2], device_ids=[0, 2, 1, 3, 4, 6, 5, 7]>
  func.func public @main(%a: tensor<3x9x7xi32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {"x"}, {"y"}]>}, %p: tensor<i32>, %b: tensor<4x12x3xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y", "x"}, {}]>}, %k: tensor<3x3xi32>)
      -> (tensor<3x11x7xi32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {"x"}, {"y"}]>}, tensor<4x12x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {"y", "x"}, {}]>}) {
    %0 = stablehlo.pad %a, %p, low = [0, 1, -1], high = [0, 1, 1], interior = [0, 0, 0] : (tensor<3x9x7xi32>, tensor<i32>) -> tensor<3x11x7xi32>
    %1 = stablehlo.reverse %0, dims = [2] : tensor<3x11x7xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %2 = "stablehlo.reduce_window"(%b, %zero) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %3 = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) {window_dimensions = array<i64: 1, 3, 3>, window_dilations = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [2, 2], [1, 1]]> : tensor<3x2xi64>} : (tensor<4x12x3xi32>, tensor<i32>) -> tensor<4x12x3xi32>
    return %1, %2 : tensor<3x11x7xi32>, tensor<4x12x3xi32>
  }
}
