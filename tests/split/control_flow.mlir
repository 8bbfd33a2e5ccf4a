// A loop carries parts; its condition and the choice of a branch are the same on all devices.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %w: tensor<2x2xi32>) -> (tensor<5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %many = stablehlo.constant dense<9> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<5x2xi32> cond {
      %5 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<5x2xi32>, tensor<i32>) -> tensor<i32>
      %6 = stablehlo.add %5, %i : tensor<i32>
      %7 = stablehlo.compare LT, %i, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %8 = stablehlo.compare GE, %6, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %9 = stablehlo.and %7, %8 : tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %5 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x2xi32>, tensor<2x2xi32>) -> tensor<5x2xi32>
      %6 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %6, %5 : tensor<i32>, tensor<5x2xi32>
    }
    %1 = stablehlo.compare LT, %0#0, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = "stablehlo.if"(%1) ({
      %5 = stablehlo.negate %0#1 : tensor<5x2xi32>
      stablehlo.return %5 : tensor<5x2xi32>
    }, {
      stablehlo.return %a : tensor<5x2xi32>
    }) : (tensor<i1>) -> tensor<5x2xi32>
    return %0#1, %2 : tensor<5x2xi32>, tensor<5x2xi32>
  }
}
