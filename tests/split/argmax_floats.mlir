// As JAX writes it: the first of equal ones, the first NaN before all. Devices exchange what they found along the first dimension; the second
// one is gathered, because parts of it do not follow one another.
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x5x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>}, %n: tensor<8x5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}, {}]>}) -> (tensor<2xf32>, tensor<2xi32>) {
    %nan = stablehlo.constant dense<0x7FC00000> : tensor<8x5x2xf32>
    %three = stablehlo.constant dense<3> : tensor<8x5x2xi32>
    %ten = stablehlo.constant dense<10> : tensor<8x5x2xi32>
    %r = stablehlo.remainder %n, %ten : tensor<8x5x2xi32>
    %is = stablehlo.compare EQ, %r, %three, SIGNED : (tensor<8x5x2xi32>, tensor<8x5x2xi32>) -> tensor<8x5x2xi1>
    %rough = stablehlo.floor %a : tensor<8x5x2xf32>
    %v = stablehlo.select %is, %nan, %rough : tensor<8x5x2xi1>, tensor<8x5x2xf32>
    %h = stablehlo.iota dim = 0 : tensor<80xi32>
    %i = stablehlo.reshape %h : (tensor<80xi32>) -> tensor<8x5x2xi32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.reduce(%v init: %low), (%i init: %zero) across dimensions = [0, 1] : (tensor<8x5x2xf32>, tensor<8x5x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
     reducer(%l: tensor<f32>, %m: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>)  {
      %2 = stablehlo.compare GT, %l, %m, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %l, %l, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %l, %m, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %l, %m : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
  }
}
