// sizes: x.0=3,y.0=3
// sizes: x.0=0,y.0=4
// sizes: x.0=4,y.0=3
// beyond: x.0=5,y.0=6 sizes of operands are not known to be equal

// What a branch requires of sizes need not hold where it is not taken: `x` and `y` have symbols of their own.
func.func public @main(%x: tensor<?xf32> loc("x"), %y: tensor<?xf32> loc("y")) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%same) ({
    %sum = stablehlo.add %x, %y : tensor<?xf32>
    %all = stablehlo.reduce(%sum init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %all : tensor<f32>
  }, {
    %all = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %all : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
