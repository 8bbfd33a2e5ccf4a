// A reduction of two values over a dimension that parts do not divide is gathered: its initial value is no neutral element where it comes last.
module attributes {mhlo.num_partitions = 3 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=3]>
  func.func public @main(%a: tensor<7x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<2xi32>, tensor<2xi32>) {
    %i = stablehlo.iota dim = 0 : tensor<7x2xi32>
    %low = stablehlo.constant dense<-2147483648> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.reduce(%a init: %low), (%i init: %zero) across dimensions = [0] : (tensor<7x2xi32>, tensor<7x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
     reducer(%l: tensor<i32>, %r: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>)  {
      %1 = stablehlo.compare GE, %l, %r, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = stablehlo.select %1, %l, %r : tensor<i1>, tensor<i32>
      %3 = stablehlo.select %1, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<2xi32>, tensor<2xi32>
  }
}
