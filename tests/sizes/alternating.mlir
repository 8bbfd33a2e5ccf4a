// sizes: x.1=7
// open: x.1=33
// every: x.1=21
// Values that alternate along an open dimension: an input and what is computed from it, three of which one is computed twice, two that are
// each other's order, integers, and rows that alternate with a constant.
func.func public @main(%x: tensor<5x?xf32> loc("x"), %i: tensor<5x?xi16> loc("i")) -> (tensor<5x?xf32>, tensor<5x?xf32>, tensor<?x2xf32>, tensor<5x?xi16>, tensor<5x?x2xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<5x?xf32>) -> tensor<i32>
  %n.i = stablehlo.get_dimension_size %i, dim = 1 : (tensor<5x?xi16>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %n.i : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same) {has_side_effect = true} : (tensor<i1>) -> ()
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %c5 = stablehlo.constant dense<5> : tensor<1xi32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %twice = stablehlo.multiply %s, %c2 : tensor<1xi32>
  %thrice = stablehlo.multiply %s, %c3 : tensor<1xi32>
  %single = stablehlo.concatenate %c5, %s, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %of.two = stablehlo.concatenate %c5, %twice, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %of.three = stablehlo.concatenate %c5, %thrice, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %column = stablehlo.concatenate %s, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %double = stablehlo.add %x, %x : tensor<5x?xf32>
  %square = stablehlo.multiply %x, %x : tensor<5x?xf32>
  %x.1 = stablehlo.dynamic_reshape %x, %single : (tensor<5x?xf32>, tensor<3xi32>) -> tensor<5x?x1xf32>
  %double.1 = stablehlo.dynamic_reshape %double, %single : (tensor<5x?xf32>, tensor<3xi32>) -> tensor<5x?x1xf32>
  %square.1 = stablehlo.dynamic_reshape %square, %single : (tensor<5x?xf32>, tensor<3xi32>) -> tensor<5x?x1xf32>
  %two = stablehlo.concatenate %x.1, %double.1, dim = 2 : (tensor<5x?x1xf32>, tensor<5x?x1xf32>) -> tensor<5x?x2xf32>
  %0 = stablehlo.dynamic_reshape %two, %of.two : (tensor<5x?x2xf32>, tensor<2xi32>) -> tensor<5x?xf32>
  %three = stablehlo.concatenate %square.1, %x.1, %square.1, dim = 2 : (tensor<5x?x1xf32>, tensor<5x?x1xf32>, tensor<5x?x1xf32>) -> tensor<5x?x3xf32>
  %1 = stablehlo.dynamic_reshape %three, %of.three : (tensor<5x?x3xf32>, tensor<2xi32>) -> tensor<5x?xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<5x?xf32>, tensor<f32>) -> tensor<?xf32>
  %sum.1 = stablehlo.dynamic_reshape %sum, %column : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x1xf32>
  %opposite = stablehlo.negate %sum.1 : tensor<?x1xf32>
  %2 = stablehlo.concatenate %opposite, %sum.1, dim = 1 : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x2xf32>
  %more = stablehlo.add %i, %i : tensor<5x?xi16>
  %i.1 = stablehlo.dynamic_reshape %i, %single : (tensor<5x?xi16>, tensor<3xi32>) -> tensor<5x?x1xi16>
  %more.1 = stablehlo.dynamic_reshape %more, %single : (tensor<5x?xi16>, tensor<3xi32>) -> tensor<5x?x1xi16>
  %both = stablehlo.concatenate %more.1, %i.1, dim = 2 : (tensor<5x?x1xi16>, tensor<5x?x1xi16>) -> tensor<5x?x2xi16>
  %3 = stablehlo.dynamic_reshape %both, %of.two : (tensor<5x?x2xi16>, tensor<2xi32>) -> tensor<5x?xi16>
  %half = stablehlo.constant dense<5.0e-1> : tensor<f32>
  %halves = stablehlo.dynamic_broadcast_in_dim %half, %single, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<5x?x1xf32>
  %4 = stablehlo.concatenate %halves, %square.1, dim = 2 : (tensor<5x?x1xf32>, tensor<5x?x1xf32>) -> tensor<5x?x2xf32>
  return %0, %1, %2, %3, %4 : tensor<5x?xf32>, tensor<5x?xf32>, tensor<?x2xf32>, tensor<5x?xi16>, tensor<5x?x2xf32>
}
