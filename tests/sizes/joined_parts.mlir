// sizes: x.1=3,x.2=5
// open: x.1=4 x.2=20
// Rows of open length and open number as one dimension: elementwise operations and reductions have a dimension for each, outputs lie as the
// caller's elements do. What is repeated along them lies alike; positions do not, and so elements are moved for these.
func.func public @main(%x: tensor<3x?x?xf32> loc("x"), %k: tensor<i1>) -> (tensor<3x?xf32>, tensor<3x?xf32>, tensor<?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3x?xi1>, tensor<3x?xf32>, tensor<?x3xf32>, tensor<3x?xcomplex<f32>>, tensor<f32>, tensor<?x2x?xf32>, tensor<3x?xf32>) {
  %r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?x?xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 2 : (tensor<3x?x?xf32>) -> tensor<i32>
  %n = stablehlo.multiply %r, %s : tensor<i32>
  %r1 = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
  %s1 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %all = stablehlo.multiply %n1, %three : tensor<1xi32>
  %shape = stablehlo.concatenate %three, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %turned = stablehlo.concatenate %n1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %f = stablehlo.dynamic_reshape %x, %shape : (tensor<3x?x?xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  // What is returned as it is, computed, and of one dimension.
  %t = stablehlo.tanh %f : tensor<3x?xf32>
  %l = stablehlo.dynamic_reshape %t, %all : (tensor<3x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  // Sums, products and extrema of all elements of a row, and what they change.
  %sum = stablehlo.reduce(%t init: %one) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %product = stablehlo.reduce(%t init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %most = stablehlo.reduce(%f init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %most1 = stablehlo.reshape %most : (tensor<3xf32>) -> tensor<3x1xf32>
  %spread = stablehlo.dynamic_broadcast_in_dim %most1, %shape, dims = [0, 1] : (tensor<3x1xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %below = stablehlo.subtract %f, %spread : tensor<3x?xf32>
  %exponentials = stablehlo.exponential %below : tensor<3x?xf32>
  %total = stablehlo.reduce(%exponentials init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %totals = stablehlo.dynamic_broadcast_in_dim %total, %shape, dims = [0] : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %soft = stablehlo.divide %exponentials, %totals : tensor<3x?xf32>
  // Of the whole, by a computation with two inputs: the element whose square is least, which none that is not valid is.
  %squares = stablehlo.multiply %f, %f : tensor<3x?xf32>
  %infinite = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %near:2 = stablehlo.reduce(%squares init: %infinite), (%t init: %zero) across dimensions = [0, 1] : (tensor<3x?xf32>, tensor<3x?xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %first = stablehlo.compare LE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %e = stablehlo.select %first, %a, %c : tensor<i1>, tensor<f32>
    %g = stablehlo.select %first, %b, %d : tensor<i1>, tensor<f32>
    stablehlo.return %e, %g : tensor<f32>, tensor<f32>
  }
  // Positions along the joined dimension.
  %place = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<3x?xi32>
  %places = stablehlo.convert %place : (tensor<3x?xi32>) -> tensor<3x?xf32>
  %placed = stablehlo.add %f, %places : tensor<3x?xf32>
  %low = stablehlo.constant dense<2147483647> : tensor<i32>
  %is_most = stablehlo.compare EQ, %f, %spread : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xi1>
  %end = stablehlo.dynamic_broadcast_in_dim %low, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %own = stablehlo.select %is_most, %place, %end : tensor<3x?xi1>, tensor<3x?xi32>
  %where = stablehlo.reduce(%own init: %low) applies stablehlo.minimum across dimensions = [1] : (tensor<3x?xi32>, tensor<i32>) -> tensor<3xi32>
  %either = stablehlo.select %k, %t, %f : tensor<i1>, tensor<3x?xf32>
  // The joined dimension first, and pairs of rows.
  %columns = stablehlo.transpose %t, dims = [1, 0] : (tensor<3x?xf32>) -> tensor<?x3xf32>
  %twice = stablehlo.add %f, %f : tensor<3x?xf32>
  %pairs = stablehlo.complex %twice, %f : tensor<3x?xcomplex<f32>>
  %beside = stablehlo.concatenate %r1, %two, %s1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %row = stablehlo.slice %x [0:2, 0:1, 0:1] : (tensor<3x?x?xf32>) -> tensor<2x1x1xf32>
  %row1 = stablehlo.reshape %row : (tensor<2x1x1xf32>) -> tensor<2xf32>
  %again = stablehlo.dynamic_broadcast_in_dim %row1, %beside, dims = [1] : (tensor<2xf32>, tensor<3xi32>) -> tensor<?x2x?xf32>
  return %f, %t, %l, %sum, %product, %where, %is_most, %soft, %columns, %pairs, %near#1, %again, %placed : tensor<3x?xf32>, tensor<3x?xf32>, tensor<?xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3x?xi1>, tensor<3x?xf32>, tensor<?x3xf32>, tensor<3x?xcomplex<f32>>, tensor<f32>, tensor<?x2x?xf32>, tensor<3x?xf32>
}
