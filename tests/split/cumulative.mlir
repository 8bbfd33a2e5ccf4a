// Cumulative sums and maxima along a split dimension: devices exchange what their parts amount to, also backwards, and where sizes are not divided.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(%a: tensor<10x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %c: tensor<8x4xbf16> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
      -> (tensor<10x2xi32>, tensor<8xf32>, tensor<10x2xi32>, tensor<8x4xbf16>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %low = stablehlo.constant dense<-2147483648> : tensor<i32>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %narrow = stablehlo.constant dense<0.0> : tensor<bf16>
    %0 = "stablehlo.reduce_window"(%a, %zero) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %9 = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %9 : tensor<i32>
    }) {window_dimensions = array<i64: 10, 1>, padding = dense<[[9, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<10x2xi32>, tensor<i32>) -> tensor<10x2xi32>
    %1 = "stablehlo.reduce_window"(%b, %none) ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %9 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) {window_dimensions = array<i64: 8>, padding = dense<[[7, 0]]> : tensor<1x2xi64>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = "stablehlo.reduce_window"(%a, %low) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %9 = stablehlo.maximum %l, %r : tensor<i32>
      stablehlo.return %9 : tensor<i32>
    }) {window_dimensions = array<i64: 10, 1>, padding = dense<[[0, 9], [0, 0]]> : tensor<2x2xi64>} : (tensor<10x2xi32>, tensor<i32>) -> tensor<10x2xi32>
    %3 = "stablehlo.reduce_window"(%c, %narrow) ({
    ^bb0(%l: tensor<bf16>, %r: tensor<bf16>):
      %9 = stablehlo.add %l, %r : tensor<bf16>
      stablehlo.return %9 : tensor<bf16>
    }) {window_dimensions = array<i64: 8, 1>, padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<8x4xbf16>, tensor<bf16>) -> tensor<8x4xbf16>
    return %0, %1, %2, %3 : tensor<10x2xi32>, tensor<8xf32>, tensor<10x2xi32>, tensor<8x4xbf16>
  }
}
