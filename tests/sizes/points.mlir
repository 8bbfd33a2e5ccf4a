// open: x.0=40 y.0=17 t.1=3
// every: x.0=3,y.0=20,t.1=4
// Reductions of rows of two to four numbers are operations on columns, whose loops end at the open sizes of their rows: distances of points,
// which nothing but the reduction reads, with an initial value that is not neutral, and of integers. Rows that are open up to such a length are
// masked.
func.func public @main(%x: tensor<?x3xf32> loc("x"), %y: tensor<?x3xf32> loc("y"), %t: tensor<24x?xf32> loc("t")) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi32>, tensor<24xf32>, tensor<24xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %columns = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %columns, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %most = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %unit = stablehlo.constant dense<1> : tensor<i32>
  %xs = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [0, 2] : (tensor<?x3xf32>, tensor<3xi32>) -> tensor<?x?x3xf32>
  %ys = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [1, 2] : (tensor<?x3xf32>, tensor<3xi32>) -> tensor<?x?x3xf32>
  %less = stablehlo.subtract %xs, %ys : tensor<?x?x3xf32>
  %square = stablehlo.multiply %less, %less : tensor<?x?x3xf32>
  %0 = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<?x?x3xf32>, tensor<f32>) -> tensor<?x?xf32>
  %sum = stablehlo.add %xs, %ys : tensor<?x?x3xf32>
  %size = stablehlo.abs %sum : tensor<?x?x3xf32>
  %1 = stablehlo.reduce(%size init: %one) applies stablehlo.maximum across dimensions = [2] : (tensor<?x?x3xf32>, tensor<f32>) -> tensor<?x?xf32>
  %whole = stablehlo.convert %x : (tensor<?x3xf32>) -> tensor<?x3xi32>
  %2 = stablehlo.reduce(%whole init: %unit) applies stablehlo.multiply across dimensions = [1] : (tensor<?x3xi32>, tensor<i32>) -> tensor<?xi32>
  %3 = stablehlo.reduce(%t init: %none) applies stablehlo.add across dimensions = [1] : (tensor<24x?xf32>, tensor<f32>) -> tensor<24xf32>
  %root = stablehlo.negate %t : tensor<24x?xf32>
  %4 = stablehlo.reduce(%root init: %most) applies stablehlo.minimum across dimensions = [1] : (tensor<24x?xf32>, tensor<f32>) -> tensor<24xf32>
  return %0, %1, %2, %3, %4 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi32>, tensor<24xf32>, tensor<24xf32>
}
